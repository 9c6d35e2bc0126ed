"""All generators of structural ops, by the text name of the op: GENERATORS."""

import collectives  # noqa: F401: each module registers its generators
import control  # noqa: F401
import equivalents  # noqa: F401
import folds  # noqa: F401
import movement  # noqa: F401
import numerical  # noqa: F401
import products  # noqa: F401
from generator_parts import GENERATORS  # noqa: F401
