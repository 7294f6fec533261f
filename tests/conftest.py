"""What all tests share: kernels that are compiled beforehand, their order, and examples that stay the same.

Kernels are compiled together, by all processors, before the first test: one after the other, in the tests
that meet them first, would take several times as long. They are those of the modules that the tests import.
Tests that use a window or other processes wait for most of their time: they come first, so that no processor
is left without work at the end. Hypothesis has no deadline, a hidden timing assertion, and takes no examples
from the constants of loaded modules, which depend on what ran before in the same process.
"""

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.internal.constants_ast import Constants

assert "_local_constants" in vars(HypothesisProvider)
HypothesisProvider._local_constants = Constants()
settings.register_profile("stoss", deadline=None, derandomize=True)
settings.load_profile("stoss")

# Files whose tests wait longest.
FIRST = ("test_build_window.py", "test_window.py", "test_passive.py", "test_cache.py", "test_sweeps.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with tests that wait."""
    items.sort(key=lambda item: item.path.name not in FIRST)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile the kernels if any test is to run in this process."""
    if session.items and not session.config.option.collectonly:
        import stoss.engine  # noqa: F401  (what worlds need)
        from stoss.collision.kernels.decorators import KERNELS
        from stoss.collision.kernels.prepare import prepare

        prepare(KERNELS.values())
