def f(x):
    y
	z
