"""Runs the two programs that are compared: the probe, which asks PyTorch, and handrail."""

import gzip
import hashlib
import json
import os
import subprocess
from dataclasses import dataclass

TIMEOUT_SECONDS = 600


class ProgramError(Exception):
    """A program did not do what a comparison needs; the text says what it did."""


@dataclass(frozen=True)
class Programs:
    probe: str
    backend: str
    handrail: str

    def ask_pytorch(self, path, commands):
        """The probe's answers, one for each command. Raises where PyTorch cannot load the archive.

        PyTorch does not change from run to run: its answers are kept beside the archive.
        """
        folder = os.path.join(os.path.dirname(path), "answers")
        kept = os.path.join(folder, self._key(path, commands))
        if os.path.exists(kept):
            with gzip.open(kept, "rb") as file:
                return [json.loads(line) for line in file]
        lines = self.probe_lines(path, commands)
        os.makedirs(folder, exist_ok=True)
        with gzip.open(f"{kept}.{os.getpid()}", "wb", compresslevel=1) as file:
            file.write(b"\n".join(lines))
        os.replace(f"{kept}.{os.getpid()}", kept)
        return [json.loads(line) for line in lines]

    def _key(self, path, commands):
        parts = [*commands]
        for file in (path, self.probe, self.backend):
            about = os.stat(file)
            parts.append(f"{file} {about.st_size} {about.st_mtime_ns}")
        return hashlib.sha256("\n".join(parts).encode()).hexdigest() + ".gz"

    def probe_lines(self, path, commands):
        done = subprocess.run(
            [self.probe, path, self.backend],
            env={**os.environ, "OMP_NUM_THREADS": "1"},  # two probes run at once
            input="".join(command + "\n" for command in commands).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
        # Models may print: an answer is a line that is a JSON object.
        lines = [line for line in done.stdout.splitlines() if line[:2] in (b'{"', b"{}")]
        if done.returncode != 0:
            said = (b"\n".join(lines) or done.stderr).decode(errors="replace")[-500:]
            raise ProgramError(f"probe: exit {done.returncode}: {said}")
        if len(lines) != len(commands):
            raise ProgramError(f"probe: {len(lines)} answers to {len(commands)} commands")
        return lines

    def run(self, *arguments, stdin=b"", exits=(0,)):
        """Runs handrail and returns its stdout. Raises on any other exit code than EXITS."""
        return self.run_program(self.handrail, *arguments, stdin=stdin, exits=exits)

    def run_program(self, program, *arguments, stdin=b"", exits=(0,)):
        """The same for another program."""
        done = subprocess.run(
            [program, *arguments],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
        if done.returncode not in exits:
            error = done.stderr.decode(errors="replace").strip()[-500:]
            raise ProgramError(
                f"handrail {arguments[0]}: exit {done.returncode}, expected {exits}: {error}"
            )
        return done.stdout

    def fail(self, *arguments):
        """Runs handrail on a model that must fail, and returns its stderr."""
        done = subprocess.run(
            [self.handrail, *arguments], capture_output=True, check=False, timeout=TIMEOUT_SECONDS
        )
        said = done.stderr.decode(errors="replace")
        if done.returncode != 1:
            raise ProgramError(f"handrail {arguments[0]}: exit {done.returncode}, not 1: {said}")
        return said

    def json_lines(self, *arguments, exits=(0,)):
        """Runs handrail and yields the object of each line of its stdout."""
        for line in self.run(*arguments, exits=exits).split(b"\n"):
            if line:
                yield json.loads(line.decode(errors="replace"))
