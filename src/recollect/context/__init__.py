"""The paper's rivals: sentence models that look back at the source sentences before."""
