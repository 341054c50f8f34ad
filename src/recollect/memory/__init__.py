"""The paper's contribution: a continuous cache of translation history, plugged between step and predict."""
