cdef void* find_symbol(str library, const char* name) noexcept
cdef int raise_unresolved(str function) except -1
