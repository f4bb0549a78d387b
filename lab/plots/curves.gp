# Errors that fall, on a logarithmic scale, some with a band from the least to the largest, which lies beneath all curves.
# Curves differ in colour, dashes and marks, so that they can be told apart in black and white too.
set style line 1 linecolor rgb colour[1] linewidth 2.2 dashtype solid pointtype 7 pointsize 0.9
set style line 2 linecolor rgb colour[2] linewidth 2.2 dashtype (14,6) pointtype 5 pointsize 0.9
set style line 3 linecolor rgb colour[3] linewidth 2.2 dashtype (4,5) pointtype 9 pointsize 0.9
set style line 4 linecolor rgb colour[4] linewidth 2.2 dashtype (14,5,4,5) pointtype 11 pointsize 0.9
set style line 5 linecolor rgb colour[5] linewidth 2.2 dashtype (22,12) pointtype 13 pointsize 0.9
set style line 6 linecolor rgb colour[6] linewidth 2.2 dashtype (14,5,4,5,4,5) pointtype 6 pointsize 0.9
set style line 7 linecolor rgb colour[7] linewidth 2.2 dashtype (8,4) pointtype 4 pointsize 0.9
set style line 8 linecolor rgb colour[8] linewidth 2.2 dashtype solid pointtype 8 pointsize 0.9
set style line 9 linecolor rgb colour[9] linewidth 2.2 dashtype (14,6) pointtype 10 pointsize 0.9
set style line 10 linecolor rgb colour[10] linewidth 2.2 dashtype (4,5) pointtype 12 pointsize 0.9
set style line 11 linecolor rgb colour[11] linewidth 2.2 dashtype (14,5,4,5) pointtype 1 pointsize 0.9
set style line 12 linecolor rgb colour[12] linewidth 2.2 dashtype (22,12) pointtype 2 pointsize 0.9
set logscale y
set format y '1e%T'
unset mytics
set ylabel '{{ylabel}}' {{#ysize}}font ',{{ysize}}' {{/ysize}}offset inward,0
set xlabel '{{xlabel}}'
{{#xformat}}
set format x '{{xformat}}'
{{/xformat}}
set xrange [{{from}}:{{to}}]
set yrange [{{least}}:{{most}}]
{{#log_x}}
set logscale x
{{/log_x}}
{{^rows}}
unset key
{{/rows}}
{{#rows}}
set key at screen 0.5, {{height}} center top vertical Left reverse maxrows {{rows}} width -{{narrow}} samplen 5 font ',13' textcolor '#303030'
{{/rows}}
{{#curves}}
$curve{{n}} << end
{{raw points}}end
{{/curves}}
plot {{#curves}}{{#band}}$curve{{n}} using 1:3:4 notitle with filledcurves linecolor rgb colour[{{n}}] fillstyle transparent solid 0.14 noborder, {{/band}}{{/curves}}\
     {{#curves}}{{#title}}{{#points}}$curve{{n}} using 1:2 with linespoints linestyle {{n}} pointinterval {{every}}{{/points}}{{^points}}NaN with lines linetype nodraw{{/points}} title '{{title}}', {{/title}}{{/curves}}\
     NaN notitle
