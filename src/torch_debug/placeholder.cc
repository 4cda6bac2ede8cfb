// torch_debug
