"""Runs the two programs that are compared: the probe, which asks PyTorch, and handrail."""

import json
import subprocess
from dataclasses import dataclass


class ProgramError(Exception):
    """A program did not do what a comparison needs; the text says what it did."""


@dataclass(frozen=True)
class Programs:
    probe: str
    backend: str
    handrail: str

    def ask_pytorch(self, path, commands):
        """The probe's answers, one for each command. Raises where PyTorch cannot load the archive."""
        done = subprocess.run(
            [self.probe, path, self.backend],
            input="".join(command + "\n" for command in commands).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
        # Models may print; answers are the lines that are JSON objects with a known shape.
        answers = [json.loads(line) for line in done.stdout.splitlines() if line[:2] in (b'{"', b"{}")]
        if done.returncode != 0:
            error = answers[0].get("error") if answers else done.stderr.decode(errors="replace")[-500:]
            raise ProgramError(f"probe: exit {done.returncode}: {error}")
        if len(answers) != len(commands):
            raise ProgramError(f"probe: {len(answers)} answers to {len(commands)} commands")
        return answers

    def run(self, *arguments, stdin=b"", exits=(0,)):
        """Runs handrail and returns its stdout. Raises on any other exit code than EXITS."""
        done = subprocess.run(
            [self.handrail, *arguments],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode not in exits:
            error = done.stderr.decode(errors="replace").strip()[-500:]
            raise ProgramError(
                f"handrail {arguments[0]}: exit {done.returncode}, expected {exits}: {error}"
            )
        return done.stdout

    def json_lines(self, *arguments, exits=(0,)):
        """Runs handrail and yields the object of each line of its stdout."""
        for line in self.run(*arguments, exits=exits).split(b"\n"):
            if line:
                yield json.loads(line.decode(errors="replace"))
