// debug_map
