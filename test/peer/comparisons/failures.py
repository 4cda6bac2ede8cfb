"""Models that fail on an input: the handles that PyTorch's exception carries give the trace that
PyTorch prints, and a log with the exception of the stripped archive gets that trace from the whole
one. A log with an exception without handles (those that a model raises have none) stays as it is."""

TITLE = "failing inputs: exception texts, and logs of stripped archives"


def applies(archive):
    return archive.path is not None and archive.loadable and bool(archive.fails)


def compare(archive, programs, outcome):
    commands = [f"run {archive.method} {inputs}" for inputs in archive.fails]
    whole = programs.ask_pytorch(archive.path, commands)
    stripped = programs.ask_pytorch(archive.stripped, commands)
    for answer, bare in zip(whole, stripped, strict=True):
        if "error" not in answer:
            outcome.fail(archive.title, "  PyTorch runs an input that was meant to fail")
        elif answer["text"]:
            _compare_failure(archive, programs, outcome, answer, bare)
        else:
            log = _log(answer)
            outcome.check("log without handles", log, _filtered(archive, programs, log))


def _log(answer):
    return f"12:00:01 E model: {answer['error']}\n12:00:02 I next\n"


def _filtered(archive, programs, log):
    arguments = ("symbolize", "-m", archive.path, "--style=pytorch")
    return programs.run(*arguments, stdin=log.encode(), exits=(0, 1)).decode()


def _compare_failure(archive, programs, outcome, answer, bare):
    handles = ",".join(map(str, answer["handles"]))
    arguments = ("symbolize", "-m", archive.path, "--style=pytorch", "--format=json")
    (line,) = programs.json_lines(*arguments, "--", handles, exits=(0, 1))
    outcome.check(f"failing handles {handles}", answer["text"], line["traceback"])
    # PyTorch prints the handles of several frames without a separator: only one can be taken apart.
    if len(answer["handles"]) == 1:
        log = _log(bare)
        filtered = _filtered(archive, programs, log)
        if answer["text"] in filtered and filtered.endswith("12:00:02 I next\n"):
            outcome.equal += 1
        else:
            outcome.fail("log", f"{log}---- gives\n{filtered}---- which lacks\n{answer['text']}")
