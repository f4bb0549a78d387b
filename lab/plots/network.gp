# Places from 0 on, by pairs; and of each node its place, number and degree.
$edges << end
{{raw edges}}end
$nodes << end
{{raw nodes}}end
count = {{count}}
star = {{star}}
edge_count = {{edge_count}}
{{#grid}}
rows = {{grid}}
columns = count / rows
x(i) = int(i) % columns
y(i) = -(int(i) / columns)
set xrange [-0.8:columns - 0.2]
set yrange [0.2 - rows:0.8]
{{/grid}}
{{^grid}}
{{#on_disc}}
# As the seeds of a sunflower, which lie evenly.
angle(i) = i * pi * (3 - sqrt(5))
radius(i) = sqrt((i + 0.5) / count)
{{/on_disc}}
{{^on_disc}}
angle(i) = 2 * pi * (i - star) / (count - star > 1 ? count - star : 1)
radius(i) = (star && i == 0) || count == 1 ? 0 : 1
{{/on_disc}}
x(i) = radius(i) * sin(angle(i))
y(i) = radius(i) * cos(angle(i))
set xrange [-1.15:1.15]
set yrange [-1.15:1.15]
{{/grid}}
# Where an edge runs around the torus, from the first to the last of a line, it leaves the picture on one side and comes back on
# the other.
around(from, to) = {{#grid}}abs(to - from) > 1 ? 0.5 * sgn(to - from) : 0{{/grid}}{{^grid}}0{{/grid}}
dx(i, j) = around(x(i), x(j))
dy(i, j) = around(y(i), y(j))
wraps(i, j) = dx(i, j) != 0 || dy(i, j) != 0
# On a disc, the area grows with the degree, as far as there is room.
usual = count <= 40 ? 2.6 : count <= 64 ? 1.8 : 0.5
{{#on_disc}}
mean = 2.0 * edge_count / count
least(a, b) = a < b ? a : b
larger(degree) = 1.3 * sqrt(degree / mean)
size(degree) = least(sqrt(400.0 / count), 1) * usual * least(larger(degree) < 1 ? 1 : larger(degree), count <= 64 ? 1.6 : 6)
{{/on_disc}}
{{^on_disc}}
size(degree) = usual
{{/on_disc}}
labels = count <= 64
unset border
unset tics
unset key
unset grid
set size ratio -1
set margins 1, 1, 1, 3
set style line 1 linecolor rgb (edge_count > 2000 ? 0xdde3e9 : 0xb4c0cc) linewidth (edge_count > 300 ? 0.6 : 1.3)
plot {{#edges}}$edges using (x($1)):(y($1)):(wraps($1, $2) ? -dx($1, $2) : x($2) - x($1)):(wraps($1, $2) ? -dy($1, $2) : y($2) - y($1)) with vectors nohead linestyle 1, \
     {{#grid}}$edges using (wraps($1, $2) ? x($2) : NaN):(y($2)):(dx($1, $2)):(dy($1, $2)) with vectors nohead linestyle 1, {{/grid}}\
     {{/edges}}$nodes using (x($1)):(y($1)):(size($3)) with points pointtype 7 pointsize variable linecolor rgb colour[1], \
     $nodes using (labels ? x($1) : NaN):(y($1)):2 with labels font (count <= 40 ? 'Helvetica,13' : 'Helvetica,9') textcolor '#ffffff'
