"""Tables of our figures with the paper's beside them."""

from recollect.reproduce.tables import tables

ROWS = {
    "base": {"tune_bleu": 27.514, "tune_p": None, "test_bleu": 30.0},
    "memory": {"tune_bleu": 28.0, "tune_p": 0.0004, "test_bleu": 31.0},
}


def test_a_table_for_each_set_and_the_papers_figures_where_it_has_them():
    tune, test = tables(ROWS, {"base": {"tune_bleu": 27.54}})
    assert tune == (
        "|  | tuning BLEU | paper | p |\n"
        "| --- | --- | --- | --- |\n"
        "| base | 27.51 | 27.54 |  |\n"
        "| memory | 28.00 |  | < 0.001 |\n"
    )
    assert test == "|  | test BLEU |\n| --- | --- |\n| base | 30.00 |\n| memory | 31.00 |\n"
