# Two components are a scatter plot; one is a histogram or, with labels, a strip for each class.
set xlabel '{{xlabel}}'
{{#ylabel}}
set label 1 '{{ylabel}}' at screen 0.027, graph 0.5 center rotate by 90 font ',13'
{{/ylabel}}
set xrange [{{x_from}}:{{x_to}}]
set yrange [{{y_from}}:{{y_to}}]
{{#x_format}}
set format x '{{x_format}}'
{{/x_format}}
{{#y_format}}
set format y '{{y_format}}'
{{/y_format}}
{{#strips}}
unset ytics
set border 1
{{/strips}}
unset key
{{#bars}}
$bars << end
{{raw bars}}end
set grid noxtics
set boxwidth {{width}}
set style fill solid noborder
plot $bars with boxes linecolor rgb colour[1]
{{/bars}}
{{#classes_name}}
set key on at screen {{beside}}, {{top}} left top vertical Left reverse samplen 1 spacing 1.15 font ',13' textcolor '#303030' title '{{classes_name}}'
{{/classes_name}}
{{#scale_name}}
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set cbrange [{{scale_from}}:{{scale_to}}]
set colorbox user origin screen {{bar_left}}, {{bottom}} size screen 0.025, {{bar_height}}
set cblabel '{{scale_name}}' font ',13'
{{#scale_format}}
set format cb '{{scale_format}}'
{{/scale_format}}
{{/scale_name}}
{{^bars}}
# x, y, the class and how far it can be seen through; and the same of what has a place on the scale, with its number.
$points << end
{{raw points}}end
$numbers << end
{{raw numbers}}end
plot NaN notitle{{#points}}, $points using 1:2:(colour[int($3)] + $4) with points pointtype 7 pointsize {{size}} linecolor rgb variable notitle{{/points}}\
     {{#numbers}}, $numbers using 1:2:3 with points pointtype 7 pointsize {{size}} linecolor palette notitle{{/numbers}}\
     {{#classes}}, NaN with points pointtype 7 pointsize 0.8 linecolor rgb colour[{{n}}] title '{{name}}'{{/classes}}
{{/bars}}
