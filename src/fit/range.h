/* How large a feature's values are, by its highest one and its lowest, negated. */
#ifndef EMI_FIT_RANGE_H
#define EMI_FIT_RANGE_H

/* Data whose largest values are between 2^-EMI_ORDINARY and 2^EMI_ORDINARY is taken as it is: wider than single precision, and
 * narrow enough that the square of a variance and the square of a variance's rounding error are normal doubles, also where
 * deviations are 2^-53 of the values. */
enum { EMI_ORDINARY = 160, EMI_TINIEST = -1000 }; /* 2^-EMI_TINIEST is a double */

/* What a value and a negated one span, halved: the whole may not be a double. */
double emi_half_span(double highest, double lowest);

/* Equal but for rounding: within four units of 2^-52 of its size, where 0.1 + 0.2 and 0.3 are. */
int emi_is_constant(double highest, double lowest);

/* The power of two that makes it ordinary. */
int emi_exponent_of(double size);

#endif
