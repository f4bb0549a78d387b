/* Quantiles of the normal and of the F distribution. */
#ifndef EMI_MODEL_QUANTILES_H
#define EMI_MODEL_QUANTILES_H

/* I_x(a, b), the incomplete beta function over the whole one; y = 1 - x, which a small x would lose. */
double emi_beta_share(double a, double b, double x, double y);

/* Where the chance to lie below is p, 0 < p < 1. */
double emi_normal_quantile(double p);
double emi_f_quantile(double p, double numerator, double denominator); /* degrees of freedom */

#endif
