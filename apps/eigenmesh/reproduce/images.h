/* MNIST and CIFAR-10 as the paper uses them, from the files that scripts/get-datasets leaves behind. */
#ifndef EIGENMESH_REPRODUCE_IMAGES_H
#define EIGENMESH_REPRODUCE_IMAGES_H

#include "collision.h"
#include "plan.h"

typedef struct images {
    em_data *table;
    float *pixels;
} images;

/* Are its files there, and none of them among those that are to be written? */
em_status images_check(source from, const char *directory, const collisions *written, em_error *err);

/* MNIST: the 60,000 training images, pixels / 255, as they come or sorted by class.  CIFAR-10: all 60,000 images, training
 * then test, the red channel. */
em_status images_open(images *out, source from, const char *directory, em_error *err);
void images_close(images *set); /* accepts the zeroed */

#endif
