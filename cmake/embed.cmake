# Files that are filled in, read or passed on as they are, as C text, so that nothing needs them beside it.
function(embed_bytes out file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  set(${out} "{${bytes}0}" PARENT_SCOPE)
endfunction()

# Of lab: NAME is the path below it.
file(GLOB lab_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/lab lab/pages/* lab/plots/* lab/paper/*.txt)
set(embedded "#include \"lab/template.h\"\n\nconst lab_file lab_files[] = {\n")
foreach(name ${lab_files})
  embed_bytes(bytes lab/${name})
  string(APPEND embedded "    {\"${name}\", (const char[])${bytes}},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/lab/files.c CONTENT "${embedded}    {0}};\n" @ONLY)

# The style of pages, which belongs to the library.
embed_bytes(bytes src/page/style.css)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/page/style.c
     CONTENT "#include \"page/parts.h\"\n\nconst char emi_page_style[] = ${bytes};\n" @ONLY)

# Kernels, for the driver of a GPU.
embed_bytes(bytes src/gpu/kernels.ptx)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/gpu/kernels.c
     CONTENT "#include \"gpu/parts.h\"\n\nconst char emi_gpu_kernels[] = ${bytes};\n" @ONLY)
