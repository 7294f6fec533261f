"""What all tests share: kernels that are compiled beforehand, and examples that are the same everywhere.

Kernels are compiled together, by all processors, before the first test: one after the other, in the tests
that meet them first, would take several times as long. Hypothesis has no deadline, a hidden timing assertion.
"""

import pytest
from hypothesis import settings

settings.register_profile("stoss", deadline=None, derandomize=True)
settings.load_profile("stoss")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile the kernels if any test is to run in this process."""
    if session.items and not session.config.option.collectonly:
        from stoss.collision.kernels.prepare import all_kernels, prepare

        prepare(all_kernels())
