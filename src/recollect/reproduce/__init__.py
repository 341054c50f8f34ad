"""The paper's experiments, each a folder without code, run at any scale and reported beside its figures."""
