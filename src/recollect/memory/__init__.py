"""The paper's contribution: a continuous cache of translation history, plugged in between step and predict."""
