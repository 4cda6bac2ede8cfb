op_version_set = 1
import __torch__.a
def f(): pass
