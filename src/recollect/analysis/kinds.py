"""All kinds of analysis, by name: each takes translators, documents and a folder, and gives figures."""

from collections.abc import Callable
from typing import Any

from recollect.analysis.ages import measure_ages
from recollect.analysis.contrastive import measure_contrastive
from recollect.analysis.corrections import measure_corrections
from recollect.analysis.gates import measure_gates
from recollect.analysis.matrix import measure_matrix
from recollect.analysis.remembers import measure_remembers

__all__ = ["KINDS", "Measure"]

Measure = Callable[..., dict[str, Any]]
"""measure(translators, documents, folder): `files` are the names of those it wrote, `markdown` is for a
report, the rest are figures that JSON can hold. The translator named base is the sentence model alone."""

KINDS: dict[str, Measure] = {
    "ages": measure_ages,
    "matrix": measure_matrix,
    "gates": measure_gates,
    "remembers": measure_remembers,
    "contrastive": measure_contrastive,
    "corrections": measure_corrections,
}
