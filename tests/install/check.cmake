# Installs BUILD into FOLDER, builds the examples of SOURCE against what is there and nothing else, and
# runs what needs no server.
function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE printed ERROR_VARIABLE failed RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV} ended with ${code}:\n${printed}${failed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${FOLDER}/prefix")

foreach(source IN ITEMS client/client.cpp library/orders.cpp)
  file(COPY "${SOURCE}/examples/${source}" DESTINATION "${FOLDER}/project")
endforeach()
file(COPY "${CMAKE_CURRENT_LIST_DIR}/project/" DESTINATION "${FOLDER}/project")
run("${CMAKE_COMMAND}" -S "${FOLDER}/project" -B "${FOLDER}/build"
  "-DCMAKE_PREFIX_PATH=${FOLDER}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}")
run("${CMAKE_COMMAND}" --build "${FOLDER}/build")

run("${FOLDER}/prefix/bin/annals" version)
run("${CMAKE_COMMAND}" -E chdir "${FOLDER}/build" "${FOLDER}/build/orders")
if(NOT printed MATCHES "order 1 paid, event 1")
  message(FATAL_ERROR "orders printed: ${printed}")
endif()
