# A relocatable tree: bin/, lib/ (LibTorch beside it where it was fetched), share/lockstep/.
include(GNUInstallDirs)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/slurm/" DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/slurm)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep)
