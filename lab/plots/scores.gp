# Two components are a scatter plot; one is a histogram or, with labels, a strip for each class.
set xlabel '{{xlabel}}'
{{#ylabel}}
set label 1 '{{ylabel}}' at screen 0.027, graph 0.5 center rotate by 90 font ',13'
{{/ylabel}}
set xrange [{{x_from}}:{{x_to}}]
set yrange [{{y_from}}:{{y_to}}]
# Numbers of many digits would not leave room for anything else.
most(a, b) = abs(a) > abs(b) ? abs(a) : abs(b)
short(m) = m >= 1e5 || m < 1e-2 ? (m < 1e99 && m > 1e-99 ? '%.2te%T' : '%.1te%T') : '% h'
set format x short(most({{x_from}}, {{x_to}}))
set format y short(most({{y_from}}, {{y_to}}))
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
set key on at screen {{right}} + 0.02, {{top}} left top vertical Left reverse samplen 1 spacing 1.15 font ',13' textcolor '#303030' title '{{classes_name}}'
{{/classes_name}}
{{#scale_name}}
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
least = {{scale_least}}
set cbrange [least:{{scale_most}} > least ? {{scale_most}} : least + 1]
set colorbox user origin screen {{right}} + 0.025, {{bottom}} size screen 0.025, {{top}} - {{bottom}}
set cblabel '{{scale_name}}' font ',13'
set format cb short(most({{scale_least}}, {{scale_most}}))
{{/scale_name}}
{{^bars}}
# x, y, the class and how far it can be seen through; and the same of what has a place on the scale, with its number.
size = {{count}} <= 300 ? 0.75 : {{count}} <= 3000 ? 0.5 : 0.36
$points << end
{{raw points}}end
$numbers << end
{{raw numbers}}end
plot NaN notitle{{#points}}, $points using 1:2:(colour[int($3)] + $4) with points pointtype 7 pointsize size linecolor rgb variable notitle{{/points}}\
     {{#numbers}}, $numbers using 1:2:3 with points pointtype 7 pointsize size linecolor palette notitle{{/numbers}}\
     {{#classes}}, NaN with points pointtype 7 pointsize 0.8 linecolor rgb colour[{{n}}] title '{{name}}'{{/classes}}
{{/bars}}
