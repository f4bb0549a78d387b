# The share of variance of each component, and of all up to it.
$shares << end
{{raw shares}}end
set border 11
set xlabel 'component'
set ylabel 'share of the variance' font ',13' textcolor '#3f79ab'
set y2label 'cumulative share' font ',13' textcolor '#d1603d'
set format y '%g%%'
set y2tics format '%g%%'
set grid noxtics
set xrange [{{first}}:{{last}}]
set yrange [0:{{largest}}]
set y2range [0:{{sum}}]
set xtics {{step}},{{step}},{{count}}
set boxwidth 0.75
set style fill solid noborder
unset key
{{#any}}
plot $shares using 1:2 with boxes linecolor '#3f79ab', \
     $shares using 1:3 axes x1y2 with lines linecolor '#ffffff' linewidth 5, \
     $shares using 1:3 axes x1y2 with {{style}} linecolor '#d1603d' linewidth 2 pointtype 7 pointsize {{size}}
{{/any}}
{{^any}}
plot NaN notitle
{{/any}}
