/* global uPlot, document */
// Runs in the browser and draws the panels like Grafana, as far as these dashboards need.

const COLOURS = [
  '#56a64b',
  '#f2cc0c',
  '#3274d9',
  '#ff780a',
  '#e02f44',
  '#a352cc',
  '#37872d',
  '#8ab8ff',
  '#fa6400',
  '#705da0',
]

// biome-ignore lint/correctness/noUnusedVariables: the page calls it.
function draw({ title, panels, unit }) {
  document.querySelector('h1').textContent = title
  const column = 1580 / 24
  for (const panel of panels) {
    const { x, y, w, h } = panel.grid
    const section = document.createElement('section')
    section.style.cssText = `left:${x * column}px;top:${y * unit}px;width:${w * column - 4}px;height:${h * unit - 4}px`
    document.querySelector('main').append(section)
    if (panel.type === 'row') section.className = 'row'
    section.innerHTML = '<h2></h2>'
    section.firstChild.textContent = panel.title
    if (panel.type === 'stat') drawStat(section, panel)
    if (panel.type === 'table') drawTable(section, panel)
    if (panel.type === 'timeseries') drawLines(section, panel, w * column - 12, h * unit - 30)
  }
}

function drawStat(section, { series, unit, thresholds, without }) {
  const value = series[0]?.values.findLast((one) => one !== null)
  const big = document.createElement('div')
  big.className = 'big'
  big.textContent = value === undefined ? without : shown(value, unit)
  const reached = thresholds.filter((step) => step.value === null || value >= step.value)
  big.style.color = value === undefined ? '#222' : (reached.at(-1)?.color ?? '#222')
  section.append(big)
}

function drawTable(section, { columns, rows }) {
  section.append(tableOf([columns, ...rows]))
}

function drawLines(section, panel, width, height) {
  const { times, series, unit, stacked, max } = panel
  const box = document.createElement('div')
  box.className = 'drawn'
  section.append(box)
  if (series.length === 0) {
    box.textContent = 'No data'
    return
  }
  const legend = legendOf(series, unit)
  const legendWidth = Math.min(width * 0.45, 330)
  const lines = stacked ? cumulated(series) : series.map(({ values }) => values)
  const options = {
    width: width - legendWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: true }, y: { range: (_, __, high) => [0, max ?? (high > 0 ? high * 1.05 : 1)] } },
    axes: [{ space: 60 }, { size: 80, values: (_, ticks) => ticks.map((tick) => shown(tick, unit)) }],
    series: [{}, ...series.map((_, index) => lineOf(index, stacked))],
    bands: stacked ? lines.slice(1).map((_, index) => ({ series: [index + 2, index + 1] })) : [],
  }
  const drawn = document.createElement('div')
  box.append(drawn, legend)
  new uPlot(options, [times, ...lines], drawn)
}

function lineOf(index, stacked) {
  const stroke = COLOURS[index % COLOURS.length]
  return { stroke, width: 1.5, fill: `${stroke}${stacked ? '66' : '14'}`, points: { show: false }, spanGaps: false }
}

function cumulated(series) {
  const sums = series[0].values.map(() => 0)
  return series.map(({ values }) =>
    values.map((value, index) => {
      sums[index] += value ?? 0
      return sums[index]
    }),
  )
}

function legendOf(series, unit) {
  const rows = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null)
    return [name, shown(known.at(-1), unit), shown(Math.max(...known), unit)]
  })
  const table = tableOf([['', 'last', 'max'], ...rows])
  for (const [index, row] of [...table.rows].entries()) {
    if (index > 0) row.cells[0].style.borderLeft = `8px solid ${COLOURS[(index - 1) % COLOURS.length]}`
  }
  return table
}

function tableOf(rows) {
  const table = document.createElement('table')
  for (const cells of rows) {
    const row = table.insertRow()
    for (const text of cells) row.insertCell().textContent = text
  }
  return table
}

function shown(value, unit) {
  if (value === undefined || value === null || !Number.isFinite(value)) return '-'
  switch (unit) {
    case 's':
      return value >= 1
        ? `${round(value)} s`
        : value >= 0.001
          ? `${round(value * 1000)} ms`
          : `${round(value * 1e6)} µs`
    case 'percentunit':
      return `${round(value * 100)} %`
    case 'bytes':
    case 'Bps':
      return scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB']) + (unit === 'Bps' ? '/s' : '')
    case 'reqps':
    case 'ops':
    case 'cps':
      return `${round(value)}/s`
    default:
      return round(value)
  }
}

function scaled(value, base, names) {
  const power = value < 1 ? 0 : Math.min(names.length - 1, Math.floor(Math.log(value) / Math.log(base)))
  return `${round(value / base ** power)} ${names[power]}`
}

function round(value) {
  return `${Number(value.toPrecision(3))}`
}
