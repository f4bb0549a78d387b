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
# One component, or two, stand as narrow bars in the middle.
count = {{count}}
largest = {{largest}}
sum = {{sum}}
half = 0.5 * (count > 6 ? count : 6) + 0.2
set xrange [0.5 * (count + 1) - half:0.5 * (count + 1) + half]
set yrange [0:largest > 0 ? 1.06 * largest : 1]
set y2range [0:sum > 100 ? sum : 100]
# As many ticks as there is room for, at round numbers.
step = 1000
do for [s in '500 200 100 50 20 10 5 2 1'] { if (count <= 12 * int(s)) { step = int(s) } }
set xtics step,step,count
set boxwidth 0.75
set style fill solid noborder
unset key
# A dot each would hide the line where there are many.
if (sum > 0 && count <= 60) {
    plot $shares using 1:2 with boxes linecolor '#3f79ab', \
         $shares using 1:3 axes x1y2 with lines linecolor '#ffffff' linewidth 5, \
         $shares using 1:3 axes x1y2 with linespoints linecolor '#d1603d' linewidth 2 pointtype 7 pointsize (count > 15 ? 0.5 : 0.9)
}
if (sum > 0 && count > 60) {
    plot $shares using 1:2 with boxes linecolor '#3f79ab', \
         $shares using 1:3 axes x1y2 with lines linecolor '#ffffff' linewidth 5, \
         $shares using 1:3 axes x1y2 with lines linecolor '#d1603d' linewidth 2
}
if (!(sum > 0)) { plot NaN notitle }
