find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tl-expected REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)  # SHA-256 of plans and workloads
find_package(ZLIB REQUIRED)                       # gzip-compressed length files
find_package(HDF5 REQUIRED COMPONENTS C CXX)
if(DCPBENCH_TESTS)
  find_package(GTest REQUIRED)
  if(DCPBENCH_PERF)
    find_package(benchmark REQUIRED)
  endif()
endif()
