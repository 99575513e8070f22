"""hipRTC: run-time compilation. The whole of what we call."""

from rocarray._rocm.specs.library import Function, Library

FUNCTIONS = [
    Function("5.7", False, "hiprtcResult hiprtcVersion(int* major, int* minor)"),
    Function(
        "5.7",
        False,
        "hiprtcResult hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name, "
        "int numHeaders, const char** headers, const char** includeNames)",
    ),
    Function("5.7", False, "hiprtcResult hiprtcDestroyProgram(hiprtcProgram* prog)"),
    Function(
        "5.7",
        False,
        "hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression)",
    ),
    Function(
        "5.7",
        True,
        "hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, "
        "int numOptions, const char** options)",
    ),
    Function(
        "5.7",
        False,
        "hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, "
        "const char* name_expression, const char** lowered_name)",
    ),
    Function(
        "5.7",
        False,
        "hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet)",
    ),
    Function("5.7", False, "hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char* log)"),
    Function(
        "5.7",
        False,
        "hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet)",
    ),
    Function("5.7", False, "hiprtcResult hiprtcGetCode(hiprtcProgram prog, char* code)"),
    Function("5.7", False, "const char* hiprtcGetErrorString(hiprtcResult result)"),
]

ENUMS = {
    "hiprtcResult": {
        "HIPRTC_SUCCESS": 0,
        "HIPRTC_ERROR_OUT_OF_MEMORY": 1,
        "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE": 2,
        "HIPRTC_ERROR_INVALID_INPUT": 3,
        "HIPRTC_ERROR_INVALID_PROGRAM": 4,
        "HIPRTC_ERROR_INVALID_OPTION": 5,
        "HIPRTC_ERROR_COMPILATION": 6,
        "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE": 7,
        "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION": 8,
        "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION": 9,
        "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID": 10,
        "HIPRTC_ERROR_INTERNAL_ERROR": 11,
        "HIPRTC_ERROR_LINKING": 100,
    },
}

LIBRARY = Library(
    name="hiprtc",
    status_type="hiprtcResult",
    success="HIPRTC_SUCCESS",
    error_name="hiprtcGetErrorString",
    header="hip/hiprtc.h",
    exception="HIPRTCError",
    functions=FUNCTIONS,
    enums=ENUMS,
    handles=["hiprtcProgram"],
    typedefs={},
    function_types={},
    structs=[],
    constants={},
)
