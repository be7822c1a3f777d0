include_guard(GLOBAL)

set(ANNALS_ONLY "" CACHE STRING
  "Comma separated folders to build, for work on one module while others change; empty for all")

# annals_add_folders(<folder>...)
# Adds the folders, or those of them that ANNALS_ONLY names when it is set.
function(annals_add_folders)
  string(REPLACE "," ";" only "${ANNALS_ONLY}")
  foreach(folder IN LISTS ARGV)
    if(only AND NOT folder IN_LIST only)
      continue()
    endif()
    add_subdirectory("${folder}")
  endforeach()
endfunction()
