"""What random calls found, and figures of a series."""

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Finding", "Summary"]


@dataclass(frozen=True)
class Finding:
    """A call that broke a rule.

    Attributes:
        rule: what was broken.
        call: what was called, with its arguments.
        says: the error, or what was different.
        world: how the world was made.
        seed: of the batch.
    """

    rule: str
    call: str
    says: str
    world: str
    seed: int

    def __str__(self) -> str:
        return f"{self.rule}: {self.call} in a {self.world} world, seed {self.seed}: {self.says}"


@dataclass
class Summary:
    """Figures of a series of calls.

    Attributes:
        calls: that were made.
        taken, refused: how many of them were.
        named: refusals that name argument and value.
        of: calls by what was called.
        worlds: calls by how the world was made.
        findings: what broke a rule.
    """

    calls: int = 0
    taken: int = 0
    refused: int = 0
    named: int = 0
    of: Counter[str] = field(default_factory=Counter)
    worlds: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: "Summary") -> None:
        """Add the figures of another series."""
        self.calls += other.calls
        self.taken += other.taken
        self.refused += other.refused
        self.named += other.named
        self.of.update(other.of)
        self.worlds.update(other.worlds)
        self.findings += other.findings

    def table(self) -> str:
        """Return the figures as text."""
        share = 100.0 * self.named / self.refused if self.refused else 100.0
        rules = Counter(finding.rule for finding in self.findings)
        lines = [
            f"{self.calls} calls of {len(self.of)} public things, {self.taken} taken, {self.refused} refused",
            f"refusals that name argument and value: {self.named} of {self.refused}, {share:.2f} %",
            "worlds: " + ", ".join(f"{name} {count}" for name, count in self.worlds.most_common()),
            "findings: " + (", ".join(f"{rule} {count}" for rule, count in rules.items()) or "none"),
        ]
        return "\n".join(lines)
