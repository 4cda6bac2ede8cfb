"""What one comparison of one archive came to."""

import difflib
from dataclasses import dataclass, field

SHOWN = 3  # differences shown in full for each archive


@dataclass
class Outcome:
    equal: int = 0
    different: int = 0
    shown: list = field(default_factory=list)  # texts
    notes: dict = field(default_factory=dict)  # what is worth knowing though nothing differs: counts

    def check(self, title, expected, actual):
        """Counts one comparison, and keeps the first few differences as unified diffs."""
        if expected == actual:
            self.equal += 1
            return
        self.fail(title, diff(expected, actual))

    def note(self, text):
        self.notes[text] = self.notes.get(text, 0) + 1

    def fail(self, title, text):
        self.different += 1
        if len(self.shown) < SHOWN:
            self.shown.append(f"{title}\n{text}")


def diff(expected, actual):
    if not isinstance(expected, str) or not isinstance(actual, str):
        return f"  PyTorch:  {expected!r}\n  handrail: {actual!r}"
    lines = difflib.unified_diff(
        [repr(line) for line in expected.split("\n")],
        [repr(line) for line in actual.split("\n")],
        "PyTorch",
        "handrail",
        lineterm="",
        n=2,
    )
    return "\n".join("  " + line[:300] for line in list(lines)[:40])
