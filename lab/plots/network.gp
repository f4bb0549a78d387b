$edges << end
{{raw edges}}end
$nodes << end
{{raw nodes}}end
unset border
unset tics
unset key
unset grid
set size ratio -1
set margins 1, 1, 1, 3
set xrange [{{x_from}}:{{x_to}}]
set yrange [{{y_from}}:{{y_to}}]
plot {{#edges}}$edges with vectors nohead linecolor '{{edge_colour}}' linewidth {{edge_width}}, {{/edges}}\
     $nodes using 1:2:4 with points pointtype 7 pointsize variable linecolor rgb colour[1]{{#label_size}}, \
     $nodes using 1:2:3 with labels font 'Helvetica,{{label_size}}' textcolor '#ffffff'{{/label_size}}
