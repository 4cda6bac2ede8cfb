// debug_info
