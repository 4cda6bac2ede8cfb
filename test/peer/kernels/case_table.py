"""The table of operators and what makes their arguments."""

# Name of an operator -> list of functions of an Inputs that give its arguments.
GENERATORS = {}


def case(*names):
    """A function that makes arguments for the operators of these names."""

    def register(function):
        for name in names:
            GENERATORS.setdefault(name, []).append(function)
        return function

    return register
