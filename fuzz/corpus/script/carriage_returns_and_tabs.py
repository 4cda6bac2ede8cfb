def f(x):
	if x:
		pass

	return x
