// symbolize
