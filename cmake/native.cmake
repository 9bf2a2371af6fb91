# The targets that need LLVM: the transformer and the command.

# ---- The transformer: `verso cc` runs it when it links a program that differentiates ----

# A separate program, so that `verso` itself starts without loading LLVM.
find_program(LLVM_CONFIG llvm-config-19 REQUIRED)
find_program(CLANG_19 clang-19 REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${LLVM_CONFIG} --libdir OUTPUT_VARIABLE llvm_libraries OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
# C functions that are differentiated like the program's own: one module of bitcode, embedded in the transformer.
# Another one for Fortran, which few programs need.
find_program(LLVM_LINK llvm-link-19 REQUIRED)
function(verso_native_library folder output) # further flags of clang
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    file(GLOB headers CONFIGURE_DEPENDS native/lib/*.h ${folder}/*.h)
    set(parts "")
    foreach(source ${sources})
        cmake_path(GET source STEM name)
        set(part ${output}-parts/${name}.bc)
        list(APPEND parts ${part})
        add_custom_command(OUTPUT ${part} DEPENDS ${source} ${headers}
                           COMMAND ${CMAKE_COMMAND} -E make_directory ${output}-parts
                           COMMAND ${CLANG_19} -O2 -fno-vectorize -fno-slp-vectorize ${ARGN} -ffp-contract=off -fPIC -Wall -Wextra
                                   -Werror -gline-tables-only -I ${PROJECT_SOURCE_DIR} -I ${PROJECT_SOURCE_DIR}/include -emit-llvm -c ${source} -o ${part})
    endforeach()
    add_custom_command(OUTPUT ${output} DEPENDS ${parts} COMMAND ${LLVM_LINK} ${parts} -o ${output})
endfunction()
set(native_library ${PROJECT_BINARY_DIR}/native-library.bc)
set(fortran_library ${PROJECT_BINARY_DIR}/fortran-library.bc)
verso_native_library(native/lib ${native_library})
# Loops as `verso cc` leaves them, see cc/driver/compile.c.
verso_native_library(native/lib/fortran ${fortran_library} -fno-unroll-loops -fcomplex-arithmetic=basic)
file(GLOB transformer_sources CONFIGURE_DEPENDS cc/*.c cc/ir/*.c cc/rules/*.c cc/front/*.c cc/lower/*.c cc/types/*.c
     cc/plan/*.c cc/reverse/*.c cc/tangent/*.c cc/emit/*.c)
add_executable(verso_transform ${transformer_sources} cc/driver/demangle.c cc/driver/cache.c ${native_library} ${fortran_library})
set_target_properties(verso_transform PROPERTIES OUTPUT_NAME verso-transform)
set_source_files_properties(${PROJECT_SOURCE_DIR}/cc/front/library.c PROPERTIES OBJECT_DEPENDS ${native_library}
                            COMPILE_DEFINITIONS VERSO_NATIVE_LIBRARY="${native_library}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/cc/front/fortran.c PROPERTIES OBJECT_DEPENDS ${fortran_library}
                            COMPILE_DEFINITIONS VERSO_FORTRAN_LIBRARY="${fortran_library}")
target_include_directories(verso_transform PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(verso_transform SYSTEM PRIVATE ${llvm_include})
# LLVM allocates a lot: with this allocator the transformer takes a seventh less time. Sanitizers have their own allocator.
if(NOT VERSO_SANITIZE)
    find_library(MIMALLOC mimalloc REQUIRED)
    target_link_libraries(verso_transform PRIVATE -Wl,--push-state,--no-as-needed ${MIMALLOC} -Wl,--pop-state)
endif()
# cc/driver/demangle.c and LLVM need the C++ library.
target_link_libraries(verso_transform PRIVATE verso_static ${llvm_libraries}/libLLVM-19.so stdc++)

# ---- The command ----

# The compiler driver of `verso cc` is a library, so that tests can call it.
file(GLOB driver_sources CONFIGURE_DEPENDS cc/driver/*.c)
add_library(verso_driver STATIC ${driver_sources})
target_include_directories(verso_driver PRIVATE ${PROJECT_SOURCE_DIR} include)
target_link_libraries(verso_driver PUBLIC stdc++)

file(GLOB command_sources CONFIGURE_DEPENDS cli/*.c)
add_executable(verso_command ${command_sources})
set_target_properties(verso_command PROPERTIES OUTPUT_NAME verso)
target_include_directories(verso_command PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(verso_command PRIVATE verso_driver verso_static PkgConfig::EDIT m)

# Where `verso cc` finds libverso.a, headers and the transformer: relative to the installed command, so that an installation
# may be moved, and as absolute paths (see cc/driver/places.h).
set(place_definitions VERSO_SOURCE_INCLUDE="${PROJECT_SOURCE_DIR}/include")
foreach(place LIB INCLUDE LIBEXEC)
    set(folder ${CMAKE_INSTALL_${place}DIR})
    set(full ${CMAKE_INSTALL_FULL_${place}DIR})
    if(place STREQUAL LIBEXEC)
        string(APPEND folder /verso)
        string(APPEND full /verso)
    endif()
    file(RELATIVE_PATH way /${CMAKE_INSTALL_BINDIR} /${folder})
    list(APPEND place_definitions VERSO_WAY_TO_${place}="${way}" VERSO_FULL_${place}="${full}")
endforeach()
# Linker arguments that libverso.a needs, as a list of C strings in one definition.
set(library_links "\"-lxxhash\", \"-lzstd\", \"-lpthread\", \"-lm\"")
if(VERSO_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL Clang)
    string(APPEND library_links ", \"-fsanitize=${VERSO_SANITIZE}\"")
endif()
list(APPEND place_definitions "VERSO_LIBRARY_LINKS=${library_links}")
set_source_files_properties(cc/driver/places.c PROPERTIES COMPILE_DEFINITIONS "${place_definitions}")
# The main program of `verso grad` and `verso check`, whose text is embedded in the command.
set(harness ${PROJECT_SOURCE_DIR}/cli/harness/main.c)
set_source_files_properties(${PROJECT_SOURCE_DIR}/cli/derive_build.c PROPERTIES OBJECT_DEPENDS ${harness}
                            COMPILE_DEFINITIONS VERSO_HARNESS="${harness}")
# What every library of `verso library` has, and what its generated sources begin with.
set(library_source ${PROJECT_SOURCE_DIR}/cli/harness/library.c)
set(library_header ${PROJECT_SOURCE_DIR}/cli/harness/library.h)
set_source_files_properties(${PROJECT_SOURCE_DIR}/cli/library.c PROPERTIES OBJECT_DEPENDS ${library_source}
                            COMPILE_DEFINITIONS VERSO_LIBRARY_SOURCE="${library_source}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/cli/library_write.c PROPERTIES OBJECT_DEPENDS ${library_header}
                            COMPILE_DEFINITIONS VERSO_LIBRARY_HEADER="${library_header}")
