/* One small network of every topology, for tests that must hold on all of them. */
#ifndef TESTS_SUPPORT_TOPOLOGIES_H
#define TESTS_SUPPORT_TOPOLOGIES_H

#include "mesh/mesh.h"

typedef void mesh_check(em_mesh *mesh);

/* Run the check on a mesh of every topology, a single node among them, with one thread and with three. */
void on_every_topology(mesh_check *check);

#endif
