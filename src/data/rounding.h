/* How much of a covariance is rounding.
 *
 * In floating point every product and sum is off by a part in 2^53 of what went into it.  With s_f the deviation of
 * feature f, the computed C is then off, entry by entry, by no more than about eps s_f s_g (Higham, Accuracy and Stability
 * of Numerical Algorithms, section 3.5; sums over rows in blocks keep the constant small), so along unit vectors x and z
 *
 *     |z' dC x| <= eps (s . |z|) (s . |x|).
 *
 * That is far less than eps lambda_1 where features come in units of their own, and just that where they do not.  Products
 * with the rows do better still along an x of little variance: the scores y'x are off by eps (s . |x|), and no square of
 * that ever mixes with lambda_1. */
#ifndef EMI_DATA_ROUNDING_H
#define EMI_DATA_ROUNDING_H

#include <float.h>

/* eps, with a margin for the length of the sums: blocks of some thousand terms, whose errors are of either sign.  With half of
 * it, bounds were exceeded in one of some ten thousand random problems, by a few per cent. */
#define EMI_ROUNDING (64 * DBL_EPSILON)

/* In single precision sums are short, and go on in double: what is left is of either sign in thousands of rows. */
#define EMI_ROUNDING_SINGLE (FLT_EPSILON / 4)

typedef struct emi_rounding {
    const double *deviation; /* [d] s_f                                                        */
    const double *offset;    /* [d] |mean| of each feature, which centring took off: it leaves eps times that */
    double total;            /* trace(C)                                                       */
    int formed;              /* C was formed; otherwise products are made with the rows        */
    int single;              /* in single precision, summed in double                          */
    double answers; /* sums over the network are off by this much more: |z' dC x| <= answers (s . |z|)(s . |x|) */
} emi_rounding;

double emi_eps(const emi_rounding *r);

/* s . |x|: the spread that arithmetic along x has to carry, whatever is left of it. */
double emi_spread(const emi_rounding *r, int d, const double *x);

/* The sum of the (s_f x_f)^2. */
double emi_spread_square(const emi_rounding *r, int d, const double *x);

/* What the mean may be off by along x, whatever its sign; for NULL, its length.  A mean that is off by e adds e e' to C. */
double emi_shift(const emi_rounding *r, int d, const double *x);

/* Variance along x that may be nothing but rounding, x itself being known to a few eps, and so beside each of the `before`
 * larger components that it is orthogonal to. */
double emi_rounding_variance(const emi_rounding *r, int d, const double *x, int before);
double emi_rounding_variance_of(const emi_rounding *r, double spread, double shift, int before); /* of such an x */

/* The most that may be, along any x, where products are made with the rows. */
double emi_rounding_most(const emi_rounding *r, int d, int before);

#endif
