'use strict';
// Draws the page from the JSON in it. Text of the program reaches the page as text nodes only, never as HTML.
(() => {
	const json = name => JSON.parse(document.getElementById('json-' + name).textContent);
	const report = json('report'),
		data = json('data'),
		numa = json('numa');
	const $ = id => document.getElementById(id);
	const SVG = 'http://www.w3.org/2000/svg';
	const LEAST = 0.001; // share of stalls or bytes of a loop that is shown unasked
	const NAME = 60; // characters of a name that are shown

	// ---- elements

	function fill(node, attributes, children) {
		for (const [key, value] of Object.entries(attributes || {}))
			if (value !== null && value !== undefined && value !== false)
				node.setAttribute(key, value === true ? '' : value);
		node.append(
			...children
				.flat(9)
				.filter(
					child =>
						child !== null && child !== undefined && child !== false && child !== '',
				),
		);
		return node;
	}
	const el = (tag, attributes, ...children) =>
		fill(document.createElement(tag), attributes, children);
	const svg = (tag, attributes, ...children) =>
		fill(document.createElementNS(SVG, tag), attributes, children);
	const td = (...children) => el('td', null, ...children);
	const tdText = (...children) => el('td', { class: 't' }, ...children);
	const head = (...names) =>
		el(
			'tr',
			null,
			names.map(name =>
				el(
					'th',
					{ scope: 'col', class: name.startsWith('<') ? 't' : null },
					name.replace('<', ''),
				),
			),
		);
	// A table of rows of [class, content...]; columns without content are left out.
	function grid(columns, rows) {
		const filled = columns.map((_, i) =>
			rows.some(row =>
				[row.cells[i]]
					.flat(9)
					.some(part => part !== null && part !== undefined && part !== ''),
			),
		);
		const cells = (row, make) =>
			columns.flatMap((name, i) => (filled[i] ? [make(name, row[i], i)] : []));
		return el(
			'table',
			null,
			el('thead', null, head(...columns.filter((_, i) => filled[i]))),
			el(
				'tbody',
				null,
				rows.map(row =>
					el(
						'tr',
						{ id: row.id },
						cells(row.cells, (name, content, i) =>
							el(
								i ? 'td' : 'th',
								{
									scope: i ? null : 'row',
									class: i
										? name.startsWith('<')
											? 't' + (row.wide === i ? ' w' : '')
											: null
										: 't name',
								},
								content,
							),
						),
					),
				),
			),
		);
	}
	const scroll = (label, ...children) =>
		el(
			'div',
			{ class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
			...children,
		);
	const short = name => {
		const text = String(name ?? '?'),
			all = [...text];
		return all.length > NAME ? all.slice(0, NAME).join('') + '…' : text;
	};
	const named = name =>
		el(
			'span',
			{
				title: [...String(name ?? '?')].length > NAME ? String(name).slice(0, 2000) : null,
			},
			short(name),
		);
	const link = (target, ...children) =>
		target ? el('a', { href: '#' + target }, ...children) : el('span', null, ...children);

	// ---- numbers

	const known = value => value !== null && value !== undefined && Number.isFinite(value);
	const digits = value =>
		value.toPrecision(3).includes('e')
			? String(Math.round(value))
			: String(Number(value.toPrecision(3)));
	function scaled(value, step, units) {
		let i = 0;
		for (value = Number(value); Math.abs(value) >= step && i < units.length - 1; i++)
			value /= step;
		return digits(value) + units[i];
	}
	const bytes = value =>
		known(value) ? scaled(value, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB']) : '';
	const count = value => (known(value) ? scaled(value, 1000, ['', ' k', ' M', ' G', ' T']) : '');
	const percent = share =>
		!known(share)
			? ''
			: share > 0 && share < 0.1
				? (100 * share).toFixed(1) + ' %'
				: Math.round(100 * share) + ' %';
	const time = ns =>
		!known(ns)
			? ''
			: ns < 1e3
				? digits(ns) + ' ns'
				: ns < 1e6
					? digits(ns / 1e3) + ' µs'
					: ns < 1e9
						? digits(ns / 1e6) + ' ms'
						: digits(ns / 1e9) + ' s';
	const ratio = (part, whole) => (known(part) && whole > 0 ? part / whole : null);
	const stride = value =>
		!known(value)
			? 'none'
			: value === 0
				? 'same place'
				: (value < 0 ? '-' : '') + bytes(Math.abs(value));
	function interval([low, high]) {
		if (!known(high)) return 'share not known';
		if (!known(low) || low <= 0.0005) return 'up to ' + percent(high) + ' of the time';
		const ends = [percent(low), percent(high)];
		return (
			(ends[0] === ends[1] ? ends[0] : ends[0].replace(' %', '') + '–' + ends[1]) +
			' of the time'
		);
	}

	// ---- one run

	function view(index) {
		const run = report.runs[index],
			tables = data.runs[index],
			number = index + 1;
		const by = (list, key) => new Map((list || []).map(item => [item[key], item]));
		const of = list => (list || []).filter(item => item.run === number);
		const self = {
			run,
			number,
			tables,
			causes: of(report.causes).map((cause, i) => ({
				...cause,
				...tables.causes[i],
				id: `c${number}-${i + 1}`,
				rank: i + 1,
			})),
			findings: by(
				[...of(report.findings), ...of(report.candidates), ...of(report.modelled)],
				'id',
			),
			arrays: by(tables.arrays, 'id'),
			loops: by(tables.loops, 'id'),
			cells: new Map((tables.cells || []).map(cell => [cell.array + ' ' + cell.loop, cell])),
			files: by(
				(tables.sources || []).map((file, i) => ({
					...file,
					index: i,
					lines: new Map(file.text),
				})),
				'file',
			),
			lines: new Map(),
		};
		const at = (file, line) => {
			const key = file + '\n' + line;
			if (!self.lines.has(key))
				self.lines.set(key, {
					file,
					line,
					bytes: 0,
					accesses: 0,
					l1: null,
					l3: null,
					cycles: 0,
					time: null,
					arrays: new Map(),
					loops: new Set(),
				});
			return self.lines.get(key);
		};
		for (const one of tables.lines || []) {
			const line = at(one.file, one.line);
			line.bytes += one.bytes || 0;
			line.cycles += one.cycles || 0;
			line.accesses += one.accesses || 0;
			for (const level of ['l1', 'walks'])
				if (known(one[level])) line[level] = (line[level] || 0) + one[level];
			if (known(last(one))) line.l3 = (line.l3 || 0) + last(one);
			if (known(one.array))
				line.arrays.set(one.array, (line.arrays.get(one.array) || 0) + one.bytes);
			line.loops.add(one.loop);
		}
		for (const one of tables.times || []) at(one.file, one.line).time = one.share;
		return self;
	}
	const last = one => (known(one.l3) ? one.l3 : known(one.l2) ? one.l2 : null);
	const lineId = (self, file, line) =>
		self.files.has(file) && known(line)
			? `l${self.number}-${self.files.get(file).index}-${line}`
			: null;
	const arrayId = (self, array) => (self.arrays.has(array) ? `a${self.number}-${array}` : null);
	const lineLink = (self, file, line) =>
		!file ? '' : link(lineId(self, file, line), short(file) + (known(line) ? ':' + line : ''));
	const loopName = loop =>
		short(loop.function || loop.place) +
		(loop.file ? ` (${short(loop.file)}${loop.line ? ':' + loop.line : ''})` : '');
	const causeOf = (self, array, loop) =>
		self.causes.find(cause =>
			cause.arrays.some(
				([one, construct]) =>
					one === array &&
					loop &&
					(construct === loop.construct || construct === loop.id),
			),
		);

	// ---- causes

	function bar([low, high], label) {
		const from = Math.max(0, low || 0) * 100,
			to = Math.min(1, high || 0) * 100;
		return svg(
			'svg',
			{
				viewBox: '0 0 100 10',
				preserveAspectRatio: 'none',
				role: 'img',
				'aria-label': label,
			},
			svg('rect', {
				class: 'track',
				x: 0,
				y: 1,
				width: 100,
				height: 8,
				'stroke-width': 0.3,
			}),
			svg('rect', { class: 'band', x: 0, y: 2, width: from, height: 6 }),
			svg('rect', {
				class: 'maybe',
				x: from,
				y: 2,
				width: Math.max(to - from, 0.4),
				height: 6,
			}),
		);
	}

	function excerpt(self, cause) {
		const hot = cause.hot || cause.region,
			file = hot && self.files.get(hot.file);
		if (!hot || !hot.file) return null;
		const near = file
			? [...file.lines].filter(([line]) => line >= hot.line - 4 && line <= hot.line + 2)
			: [];
		if (!near.length)
			return el(
				'p',
				{ class: 'soft' },
				`Source of ${short(hot.file)}:${hot.line}: ${file ? file.why || 'not there' : 'not there'}.`,
			);
		const loop = cause.region && cause.region.file === hot.file ? cause.region.line : null;
		if (loop && file.lines.has(loop) && loop < near[0][0])
			near.unshift([loop, file.lines.get(loop)], [null, '…']);
		return el(
			'div',
			{
				class: 'src scroll',
				tabindex: 0,
				role: 'region',
				'aria-label': `${short(hot.file)} around line ${hot.line}`,
			},
			el(
				'table',
				null,
				near.map(([line, text]) =>
					el(
						'tr',
						{
							class: line === hot.line ? 'hot' : line === loop ? 'loop' : null,
						},
						el(
							'td',
							{ class: 'n code' },
							line ? link(lineId(self, hot.file, line), String(line)) : '',
						),
						el('td', { class: 'c code' }, text),
					),
				),
			),
		);
	}

	function causeArrays(self, cause) {
		const seen = new Set(),
			rows = [];
		for (const [array, construct, movement] of cause.arrays) {
			const cells = [...self.cells.values()].filter(
				cell => cell.array === array && self.loops.get(cell.loop).construct === construct,
			);
			const one = self.arrays.get(array);
			if (!one || seen.has(array + ' ' + construct)) continue;
			seen.add(array + ' ' + construct);
			const sum = key => cells.reduce((total, cell) => total + (key(cell) || 0), 0);
			const accesses = sum(cell => cell.accesses),
				simulated = accesses > 0;
			rows.push(
				el(
					'tr',
					null,
					tdText(
						link(arrayId(self, array), named(one.name)),
						' ',
						el('span', { class: 'soft' }, short(one.type || '')),
					),
					td(count(simulated ? accesses : one.reads + one.writes)),
					td(typeof movement === 'string' ? movement : stride(movement)),
					td(
						simulated
							? percent(
									ratio(
										sum(cell => cell.l1),
										accesses,
									),
								)
							: '',
					),
					td(simulated ? percent(ratio(sum(last), accesses)) : ''),
					td(
						simulated
							? percent(
									ratio(
										sum(cell => cell.walks),
										accesses,
									),
								)
							: '',
					),
					td(
						percent(
							ratio(
								sum(cell => cell.cycles),
								self.tables.waited,
							),
						),
					),
				),
			);
		}
		return rows.length
			? scroll(
					'Arrays of this cause',
					el(
						'table',
						null,
						el(
							'thead',
							null,
							head(
								'<array',
								'accesses',
								'stride',
								'L1 miss',
								'LLC miss',
								'TLB walk',
								'of all stalls',
							),
						),
						el('tbody', null, rows),
					),
				)
			: null;
	}

	function evidence(self, cause) {
		const findings = cause.findings.map(id => self.findings.get(id)).filter(Boolean);
		return findings.length
			? el(
					'details',
					null,
					el(
						'summary',
						null,
						`Evidence (${findings.length} finding${findings.length > 1 ? 's' : ''})`,
					),
					findings.map(finding =>
						el(
							'div',
							{ class: 'soft' },
							el(
								'p',
								null,
								el('b', null, finding.property),
								': ',
								finding.explanation || finding.title,
								' ',
								el(
									'i',
									null,
									`[${finding.rung}; confidence ${percent(finding.confidence)}; ${finding.uncertainty || ''}]`,
								),
								' ',
								link(`q${self.number}-${finding.id}`, 'in the search'),
							),
							el(
								'p',
								null,
								finding.evidence_details.map((one, i) => [
									i ? ' · ' : '',
									`${one.name} `,
									known(one.value)
										? digits(one.value) +
											(one.unit === '1' ? '' : ' ' + one.unit)
										: `not known: ${one.why}`,
									one.error > 0 ? ` ± ${digits(one.error)}` : '',
								]),
							),
						),
					),
				)
			: null;
	}

	function causes(self, box) {
		for (const cause of self.causes) {
			const names =
				cause.data_structures.slice(0, 4).map(short).join(', ') +
				(cause.data_structures.length > 4
					? ` and ${cause.data_structures.length - 4} more`
					: '');
			const hot = cause.hot || cause.region,
				label = interval(cause.severity_interval);
			const source = excerpt(self, cause),
				arrays = causeArrays(self, cause);
			box.append(
				el(
					'article',
					{
						class: 'cause' + (cause.severity_interval[1] < 0.05 ? ' small' : ''),
						id: cause.id,
					},
					el(
						'h3',
						null,
						`${cause.rank}. `,
						names ? names + ': ' : '',
						cause.title,
						' ',
						hot && hot.file
							? ['at ', lineLink(self, hot.file, hot.line)]
							: el('span', { class: 'soft' }, short(cause.place)),
					),
					el(
						'div',
						{ class: 'share' },
						el('b', null, label),
						bar(cause.severity_interval, label),
					),
					cause.machine !== 'host'
						? el('p', { class: 'soft' }, `On the modelled machine ${cause.machine}.`)
						: null,
					cause.advice
						? el('p', { class: 'try' }, el('b', null, 'Try: '), cause.advice)
						: null,
					el(
						'div',
						{
							class: 'pair' + (source && arrays ? ' two' : ''),
						},
						source,
						arrays,
					),
					el(
						'dl',
						null,
						cause.why ? [el('dt', null, 'why'), el('dd', null, cause.why)] : null,
						cause.also ? [el('dt', null, 'also'), el('dd', null, cause.also)] : null,
					),
					evidence(self, cause),
				),
			);
		}
		if (!self.causes.length)
			box.append(
				el(
					'pre',
					{ tabindex: 0 },
					$('text').querySelector('pre').textContent.split('\n\n')[1] ||
						'No cause found.',
				),
			);
		return true;
	}

	// ---- arrays by loops

	const METRICS = [
		['stalls', 'share of all stalls', (cell, self) => ratio(cell.cycles, self.tables.waited)],
		[
			'bytes',
			'bytes accessed',
			(cell, self) => ratio(cell.bytes, self.bytes),
			cell => bytes(cell.bytes),
		],
		['l1', 'L1 miss rate', cell => ratio(cell.l1, cell.accesses)],
		['llc', 'last-level miss rate', cell => ratio(last(cell), cell.accesses)],
		['tlb', 'page walks an access', cell => ratio(cell.walks, cell.accesses)],
		['remote', 'remote share of lines', cell => ratio(cell.remote, cell.memory)],
	];

	function heatTable(self, metric, all) {
		const [, title, value, shown] = metric;
		const arrays = [...self.arrays.values()]
				.filter(array => (all ? self.used.has(array.id) : self.heavyArrays.has(array.id)))
				.slice(0, all ? undefined : 16),
			loops = [...self.loops.values()]
				.filter(loop => all || self.heavy.has(loop.id))
				.slice(0, all ? undefined : 20);
		return el(
			'table',
			{ class: 'heat', 'aria-label': title },
			el(
				'thead',
				null,
				el(
					'tr',
					null,
					el('th', { scope: 'col', class: 'name' }, 'loop'),
					arrays.map(array =>
						el(
							'th',
							{ scope: 'col', class: 'v' },
							el(
								'span',
								{ title: short(array.name) },
								link(arrayId(self, array.id), short(array.name)),
							),
						),
					),
				),
			),
			el(
				'tbody',
				null,
				loops.map(loop =>
					el(
						'tr',
						null,
						el(
							'th',
							{ scope: 'row', class: 'name' },
							link(lineId(self, loop.file, loop.line), loopName(loop)),
						),
						arrays.map(array => {
							const cell = self.cells.get(array.id + ' ' + loop.id),
								share = cell ? value(cell, self) : null,
								cause = cell && causeOf(self, array.id, loop);
							const text = !cell
									? ''
									: shown
										? shown(cell)
										: known(share)
											? percent(share)
											: 'n/a',
								target = cause
									? cause.id
									: lineId(self, loop.file, loop.line) || 'heat';
							return el(
								'td',
								{
									style: known(share)
										? `--v:${Math.min(1, share).toFixed(3)}`
										: null,
								},
								cell
									? el(
											'a',
											{
												href: '#' + target,
												class: cause ? 'is' : null,
												title: `${short(array.name)} in ${loopName(loop)}: ${text}${cause ? `, cause ${cause.rank}` : ', no cause'}`,
											},
											text,
										)
									: null,
							);
						}),
					),
				),
			),
		);
	}

	function heat(self, box) {
		if (!self.cells.size) return false;
		self.bytes = [...self.cells.values()].reduce((sum, cell) => sum + (cell.bytes || 0), 0);
		const heavy = [...self.cells.values()].filter(
			cell =>
				Math.max(
					ratio(cell.cycles, self.tables.waited) || 0,
					ratio(cell.bytes, self.bytes) || 0,
				) >= LEAST,
		);
		self.heavy = new Set(heavy.map(cell => cell.loop));
		self.heavyArrays = new Set(heavy.map(cell => cell.array));
		self.used = new Set([...self.cells.values()].map(cell => cell.array));
		const usable = METRICS.filter(([, , value]) =>
			[...self.cells.values()].some(cell => known(value(cell, self))),
		);
		const place = scroll('Arrays and loops'),
			more = el(
				'button',
				{ type: 'button' },
				`Show all ${self.used.size} arrays and ${self.loops.size} loops`,
			);
		let chosen = usable[0],
			all = false;
		const draw = () => {
			place.replaceChildren(heatTable(self, chosen, all));
			unlink(place);
		};
		box.append(
			el(
				'fieldset',
				null,
				el('legend', null, 'Show'),
				usable.map((metric, i) => {
					const input = el('input', {
						type: 'radio',
						name: 'metric',
						value: metric[0],
						checked: i === 0,
					});
					input.addEventListener('change', () => {
						chosen = metric;
						draw();
					});
					return el('label', null, input, ' ', metric[1]);
				}),
			),
			el(
				'p',
				{ class: 'soft' },
				'In one execution of the phase. An underlined cell leads to its cause, any other to its loop.',
			),
			place,
		);
		more.addEventListener('click', () => {
			all = true;
			more.remove();
			draw();
		});
		if (
			self.used.size > Math.min(self.heavyArrays.size, 16) ||
			self.loops.size > Math.min(self.heavy.size, 20)
		)
			box.append(el('p', null, more));
		leftOut(box, [
			[self.tables.arrays_left_out, 'arrays'],
			[self.tables.loops_left_out, 'loops'],
		]);
		draw();
		return true;
	}

	function leftOut(box, items) {
		const text = items
			.filter(([nr]) => nr > 0)
			.map(([nr, what]) => `${nr} ${what}`)
			.join(' and ');
		if (text)
			box.append(
				el(
					'p',
					{ class: 'soft' },
					`Left out, as they cost least: ${text}. memsearch arrays and memsearch report --tree print all.`,
				),
			);
	}

	// ---- source

	function sourceRow(self, file, line, text, columns) {
		const one = self.lines.get(file.file + '\n' + line),
			share = one ? (ratio(one.cycles, self.tables.waited) ?? one.time) : null;
		const cause = self.causes.find(
			each => each.hot && each.hot.file === file.file && each.hot.line === line,
		);
		const numbers = list =>
			list.map(([, value]) => el('td', { class: 'n' }, one ? value(one) : ''));
		return el(
			'tr',
			{
				id: `l${self.number}-${file.index}-${line}`,
				class: share > 0.05 || cause ? 'hot' : null,
			},
			el('td', { class: 'n' }, cause ? link(cause.id, `cause ${cause.rank}`) : ''),
			numbers(columns.filter(([, , before]) => before)),
			el('td', { class: 'n code' }, String(line)),
			el('td', { class: 'c code' }, text),
			numbers(columns.filter(([, , before]) => !before)),
			el(
				'td',
				{ class: 'l' },
				one
					? [...one.arrays]
							.sort((a, b) => b[1] - a[1])
							.slice(0, 5)
							.map(([array], i) => [
								i ? ', ' : '',
								link(
									arrayId(self, array),
									short(self.arrays.get(array)?.name ?? '?'),
								),
							])
					: '',
			),
		);
	}

	// Name, value, and whether it stands before the text.
	const LINE_COLUMNS = [
		['time', line => percent(line.time), true],
		[
			'stalls',
			(line, self) => (line.cycles ? percent(ratio(line.cycles, self.tables.waited)) : ''),
			true,
		],
		['bytes', line => (line.bytes ? bytes(line.bytes) : '')],
		['L1 miss', line => percent(ratio(line.l1, line.accesses))],
		['LLC miss', line => percent(ratio(line.l3, line.accesses))],
	];

	function sourceFile(self, file) {
		const mine = [...self.lines.values()].filter(line => line.file === file.file),
			numbers = new Set([...file.lines.keys(), ...mine.map(line => line.line)]);
		for (const cause of self.causes)
			for (const place of [cause.hot, cause.region])
				if (place && place.file === file.file && place.line) numbers.add(place.line);
		for (const place of [
			...self.arrays.values(),
			...self.loops.values(),
			...(self.tables.regions || []),
		])
			if (place.file === file.file && known(place.line) && file.lines.has(place.line))
				numbers.add(place.line);
		const columns = LINE_COLUMNS.map(([name, value, before]) => [
			name,
			line => value(line, self),
			before,
		]).filter(([, value]) => mine.some(line => value(line)));
		const names = first =>
			columns.filter(([, , before]) => Boolean(before) === first).map(([name]) => name);
		let before = null;
		const rows = [...numbers]
			.sort((a, b) => a - b)
			.flatMap(line => {
				const gap = before !== null && line > before + 1;
				before = line;
				return [
					gap
						? el(
								'tr',
								null,
								el(
									'td',
									{
										class: 'n',
										colspan: columns.length + 4,
									},
									'⋯',
								),
							)
						: null,
					sourceRow(self, file, line, file.lines.get(line) ?? '', columns),
				];
			});
		const cycles = mine.reduce((sum, line) => sum + line.cycles, 0);
		return {
			weight: cycles + 1e-9 * mine.length,
			node: el(
				'details',
				{ open: true },
				el(
					'summary',
					null,
					el('b', { class: 'code' }, short(file.file)),
					file.why ? ` (text: ${file.why})` : '',
				),
				el(
					'div',
					{
						class: 'src scroll',
						tabindex: 0,
						role: 'region',
						'aria-label': 'source of ' + short(file.file),
					},
					el(
						'table',
						null,
						el(
							'thead',
							null,
							head('<', ...names(true), 'line', '<', ...names(false), '<arrays'),
						),
						el('tbody', null, rows),
					),
				),
			),
		};
	}

	function source(self, box) {
		if (!self.files.size) return false;
		if (![...self.lines.values()].some(line => known(line.time)))
			box.append(
				el(
					'p',
					{ class: 'soft' },
					'Time by line is not known: no samples of time were taken. Stalls are those of the model, per line as a share of all.',
				),
			);
		box.append(
			...[...self.files.values()]
				.map(file => sourceFile(self, file))
				.sort((a, b) => b.weight - a.weight)
				.map(file => file.node),
		);
		leftOut(box, [[self.tables.lines_left_out, 'accesses by line']]);
		return true;
	}

	// ---- threads by regions

	function threadBars(region, most) {
		const nr = region.times.length,
			width = Math.min(10, 600 / nr);
		return svg(
			'svg',
			{
				viewBox: `0 0 ${nr * width} 100`,
				preserveAspectRatio: 'none',
				role: 'img',
				style: `width:min(100%, ${Math.max(nr * 2, 1.2 * Math.min(nr, 30))}rem)`,
				'aria-label':
					nr <= 16
						? region.times
								.map(
									(value, i) =>
										`thread ${i}: ${time(value)}${region.waits[i] ? `, waits ${time(region.waits[i])}` : ''}`,
								)
								.join('; ')
						: `${nr} threads: ${time(Math.min(...region.times))} to ${time(Math.max(...region.times))}`,
			},
			region.times.map((value, i) => {
				const busy = (100 * value) / most,
					wait = (100 * region.waits[i]) / most;
				return svg(
					'g',
					null,
					svg(
						'title',
						null,
						`thread ${i}: ${time(value)}, waits ${time(region.waits[i])}`,
					),
					svg('rect', {
						class: 'busy',
						x: i * width,
						y: 100 - busy,
						width: width * 0.9,
						height: busy,
					}),
					wait > 0 &&
						svg('rect', {
							class: 'wait',
							x: i * width,
							y: 100 - busy - wait,
							width: width * 0.9,
							height: wait,
						}),
				);
			}),
		);
	}

	function threads(self, box) {
		const regions = (self.tables.regions || []).filter(region => region.times.length);
		if (!regions.length) return false;
		const rows = regions.map(region => {
			const total = region.times.map((value, i) => value + region.waits[i]),
				most = Math.max(...total, 1),
				mean = region.times.reduce((sum, value) => sum + value, 0) / region.times.length;
			const cause = self.causes.find(
				each =>
					each.region &&
					(each.construct === region.id ||
						(each.region.file === region.file &&
							each.region.line === region.line &&
							region.line)),
			);
			return el(
				'tr',
				null,
				el(
					'td',
					{ class: 't w' },
					link(
						cause ? cause.id : lineId(self, region.file, region.line),
						short(region.place),
					),
					cause ? el('span', { class: 'soft' }, ` cause ${cause.rank}`) : '',
				),
				td(time(mean)),
				td(mean > 0 ? percent(Math.max(...region.times) / mean - 1) : ''),
				td(time(region.waits.reduce((sum, value) => sum + value, 0) / region.waits.length)),
				el('td', { class: 't w' }, threadBars(region, most)),
			);
		});
		box.append(
			el(
				'p',
				{ class: 'key soft' },
				'One bar a thread, in one execution of the phase:',
				el('i', { class: 'busy' }),
				'executes',
				el('i', { class: 'wait' }),
				'waits at barriers and for locks',
			),
			scroll(
				'Threads and regions',
				el(
					'table',
					{ class: 'bars' },
					el(
						'thead',
						null,
						head('<region', 'mean', 'longest above mean', 'mean wait', '<threads'),
					),
					el('tbody', null, rows),
				),
			),
		);
		leftOut(box, [
			[self.tables.regions_left_out, 'regions'],
			[self.tables.threads_left_out, 'threads'],
		]);
		return true;
	}

	// ---- first touch, nodes

	// Those of the pictures (analysis/report/svg.c), while they are different.
	const NODES = ['#0072b2', '#d55e00', '#00785a', '#a0517f', '#2f6f93', '#8a6000', '#6a6a00', '#5f6368'];
	const nodeColour = (node, nodes) =>
		nodes <= NODES.length
			? NODES[node]
			: `hsl(${Math.round(210 + (300 * node) / nodes) % 360} 60% 52%)`;
	const letter = site =>
		typeof site !== 'number' ? '?' : site < 26 ? String.fromCharCode(97 + site) : '+';
	const siteColour = site =>
		typeof site === 'number' ? `hsl(${(40 + 97 * site) % 360} 45% 50%)` : 'var(--wait)';
	// Rows of a page map: [member of the blocks, words, colour of a value].
	const mapRows = (array, nodes) => {
		const node = value =>
				typeof value === 'number' ? nodeColour(value, nodes) : 'var(--wait)',
			differ = new Set(array.page_map.blocks.filter(one => one.pages).map(one => one.first_touch)).size > 1;
		return [
			differ ? ['first_touch', 'first touch at', siteColour] : null,
			['on', 'on node', node],
			['used_by', 'used by node', node],
		].filter(Boolean);
	};
	function strip(array, nodes) {
		const blocks = array.page_map.blocks,
			width = 100 / Math.max(blocks.length, 1),
			rows = mapRows(array, nodes);
		const words = (member, value) =>
			value === null ? 'none' : member === 'first_touch' ? letter(value) : String(value);
		return svg(
			'svg',
			{
				class: 'strip',
				viewBox: `0 0 100 ${rows.length * 5}`,
				style: `height:${rows.length}rem`,
				preserveAspectRatio: 'none',
				role: 'img',
				'aria-label':
					`pages of ${short(array.name)}: ` +
					rows
						.map(
							([member, label]) =>
								`${label} ${blocks.map(block => words(member, block[member])).join(' ')}`,
						)
						.join('; ')
						.slice(0, 600),
			},
			blocks.map((block, i) =>
				svg(
					'g',
					null,
					svg(
						'title',
						null,
						rows
							.map(([member, label]) => `${label} ${words(member, block[member])}`)
							.concat(
								typeof block.first_thread === 'number'
									? [`by thread ${block.first_thread}`]
									: [],
							)
							.join(', '),
					),
					rows.map(([member, , colour], row) =>
						svg('rect', {
							x: i * width,
							y: row * 5 + 0.2,
							width: width * 0.96,
							height: 4.6,
							style: `fill:${colour(block[member])}`,
						}),
					),
				),
			),
		);
	}
	const touchWords = (self, one) => [
		percent(one.share),
		one.before_memsearch
			? ' before memsearch started'
			: one.by_kernel
				? ' by the kernel (system calls such as read)'
				: [
						one.threads.length
							? ` by thread${one.threads.length > 1 ? 's' : ''} ${spans(one.threads)}`
							: ' by an unknown thread',
						known(one.line) ? [' at ', lineLink(self, one.file, one.line)] : '',
						one.call_path.length ? ` in ${one.call_path.map(short).join(' → ')}` : '',
					],
	];
	// "0-3, 7" of ascending numbers
	const spans = numbers =>
		numbers
			.reduce((all, one) => {
				const last = all[all.length - 1];
				if (last && last[1] === one - 1) last[1] = one;
				else all.push([one, one]);
				return all;
			}, [])
			.map(([low, high]) => (low === high ? low : `${low}-${high}`))
			.join(', ');
	function touchList(self, array) {
		const shown = array.first_touches.slice(0, 6).filter((one, i) => !i || one.share >= 0.005),
			several = shown.length > 1;
		if (!shown.length) return el('p', null, 'First touch: not seen.');
		return el(
			'p',
			{ class: 'key' },
			'First touch: ',
			shown.map((one, i) => [
				i ? '; ' : '',
				several
					? [
							svg(
								'svg',
								{ width: 12, height: 12, 'aria-hidden': 'true' },
								svg('rect', { width: 12, height: 12, fill: siteColour(i) }),
							),
							` ${letter(i)}: `,
						]
					: '',
				touchWords(self, one),
			]),
			array.first_touches.length > 6 ? `; and ${array.first_touches.length - 6} more` : '',
			'.',
		);
	}

	function numaArray(self, array) {
		const nodes = numa.nodes,
			all = array.lines_to_from.map((_, i) => i),
			users = all.filter(i => array.lines_to_from[i].some(Boolean)),
			homes = all.filter(i => array.lines_to_from.some(row => row[i])),
			id = [...self.arrays.values()].find(one => one.name === array.name)?.id;
		return el(
			'details',
			{ open: array.remote_share > 0.2 },
			el(
				'summary',
				null,
				el('b', null, link(arrayId(self, id), short(array.name))),
				` ${percent(array.remote_share)} of ${count(array.lines)} lines remote; ${array.pattern.replace(/_/g, ' ')}`,
			),
			touchList(self, array),
			array.page_map
				? [
						el(
							'p',
							{ class: 'soft' },
							`Pages from first to last; from above: ${mapRows(array, nodes).length > 2 ? 'line of the first touch, ' : ''}node of the memory, node that uses most of it.`,
						),
						strip(array, nodes),
					]
				: null,
			scroll(
				'Lines by nodes',
				el(
					'table',
					null,
					el(
						'caption',
						null,
						'Lines to the threads of a node (rows) from the memory of a node (columns)',
					),
					el('thead', null, head('<', ...homes.map(i => 'node ' + i))),
					el(
						'tbody',
						null,
						users.map(i =>
							el(
								'tr',
								null,
								el('th', { scope: 'row', class: 't' }, 'node ' + i),
								homes.map(j => td(count(array.lines_to_from[i][j]))),
							),
						),
					),
				),
			),
			array.advice ? el('p', { class: 'try' }, array.advice) : null,
		);
	}

	function touch(self, box) {
		const arrays = [...self.arrays.values()];
		if (!arrays.length) return false;
		if (self.tables.touched_why)
			box.append(el('p', null, `First touches are not known: ${self.tables.touched_why}.`));
		const rows = arrays.map(array => {
			const all = array.touches.reduce((sum, one) => sum + one.bytes, 0),
				cause = self.causes.find(each => each.arrays.some(([one]) => one === array.id));
			return {
				id: `a${self.number}-${array.id}`,
				wide: 8,
				cells: [
					[named(array.name), cause ? [' ', link(cause.id, `cause ${cause.rank}`)] : ''],
					short([array.kind, array.type, array.shape].filter(Boolean).join(' ')),
					bytes(array.size),
					lineLink(self, array.file, array.line),
					array.bytes ? bytes(array.bytes) : '',
					array.accesses ? percent(ratio(array.l1, array.accesses)) : '',
					array.accesses ? percent(ratio(last(array), array.accesses)) : '',
					percent(ratio(array.cycles, self.tables.waited)),
					[
						array.touches
							.slice(0, 4)
							.map((one, i) => [
								i ? '; ' : '',
								percent(ratio(one.bytes, all)),
								' ',
								one.before
									? 'before memsearch started'
									: [
											one.who || 'a thread',
											' ',
											known(one.line)
												? lineLink(self, one.file, one.line)
												: one.at || '',
										],
								one.nodes.length ? ` (node ${one.nodes.join(', ')})` : '',
							]),
						array.touches.length > 4 ? ` and ${array.touches.length - 4} more` : '',
					],
				],
			};
		});
		box.append(
			scroll(
				'Arrays',
				grid(
					[
						'<array',
						'<type',
						'size',
						'<declared',
						'accessed',
						'L1 miss',
						'LLC miss',
						'of all stalls',
						'<first touch',
					],
					rows,
				),
			),
		);
		leftOut(box, [[self.tables.arrays_left_out, 'arrays']]);
		if (numa && !numa.missing && numa.arrays.length)
			box.append(
				el('h3', null, `Nodes of ${numa.machine}`),
				el(
					'p',
					{ class: 'key soft' },
					Array.from({ length: Math.min(numa.nodes, 16) }, (_, i) => [
						svg(
							'svg',
							{
								width: 12,
								height: 12,
								'aria-hidden': 'true',
							},
							svg('rect', {
								width: 12,
								height: 12,
								fill: nodeColour(i, numa.nodes),
							}),
						),
						` node ${i} `,
					]),
				),
				el(
					'p',
					{ class: 'soft' },
					`${numa.placement ? numa.placement + '. ' : ''}${percent(ratio(numa.remote_lines, numa.lines))} of the lines come from another node.`,
				),
				el(
					'div',
					{ class: 'pictures' },
					document.getElementById('numa-pictures').content.cloneNode(true),
				),
				...numa.arrays.map(array => numaArray(self, array)),
			);
		else
			box.append(
				el(
					'p',
					null,
					numa && numa.missing
						? `Pages by node: ${numa.missing}. `
						: 'Pages by node: the simulated machine has one node. ',
					'A machine with several: ',
					el(
						'code',
						null,
						`memsearch report --html --machine epyc-2s --places spread ${data.record || ''}`,
					),
				),
			);
		const writes = document.getElementById('numa-writes').content;
		if (writes.childElementCount)
			box.append(el('div', { class: 'pictures' }, writes.cloneNode(true)));
		return true;
	}

	// ---- remedies, search

	function remedies(self, box) {
		const list = self.causes.filter(cause => cause.advice).slice(0, 10);
		if (list.length)
			box.append(
				el(
					'ol',
					null,
					list.map(cause =>
						el(
							'li',
							null,
							link(cause.id, interval(cause.severity_interval)),
							': ',
							cause.advice,
						),
					),
				),
			);
		box.append(
			el(
				'p',
				null,
				'A record has no results of trials. This simulates it once more with each change of placement and layout, and ranks them by gain: ',
				el('code', null, `memsearch try ${data.record || ''}`),
			),
		);
		return true;
	}

	const SIGNS = { yes: '✓', no: '✗', unknown: '?', missed: '?', discontinued: '–', pending: '…', active: '…' };
	const GROUPED = 4; // as many leaves with one verdict below a node are folded

	const isAfterRun = (self, one) => one.ns >= self.tables.program_ns;

	function reached(self, one) {
		const { executions, program_ns } = self.tables;
		if (!known(one.executions) && !known(one.ns)) return '';
		if (isAfterRun(self, one)) return 'after the run';
		return [
			known(one.executions) && `after ${one.executions} of ${executions} executions`,
			known(one.ns) && `${time(one.ns)} into ${time(program_ns)}`,
		]
			.filter(Boolean)
			.join(', ');
	}

	function questionRow(self, tag, one, cause) {
		return el(
			tag,
			{ class: 'row', tabindex: -1 },
			el('span', { class: 'sign ' + one.state }, `${SIGNS[one.state] || ''} ${one.state}`),
			' ',
			el('b', { title: one.property }, self.tables.titles[one.property] || one.property),
			' ',
			el(
				'span',
				{ class: 'soft' },
				short(one.place) + (known(one.thread) ? `, thread ${one.thread}` : ''),
			),
			one.value ? ` · ${one.value}` : '',
			el('span', { class: 'soft' }, reached(self, one) && ` · ${reached(self, one)}`),
			cause ? [' ', link(cause.id, `cause ${cause.rank}`)] : '',
		);
	}

	// Nodes in their order; where many leaves have the same verdict, a row that unfolds them.
	function folded(nodes, isLeaf) {
		const leaves = state => nodes.filter(one => one.state === state && isLeaf(one)),
			many = state => state !== 'yes' && leaves(state).length >= GROUPED,
			states = [...new Set(nodes.map(one => one.state))].filter(many);
		return [
			...nodes.filter(one => !isLeaf(one) || !many(one.state)),
			...states.map(state => ({ state, members: leaves(state) })),
		];
	}

	function questionTree(self, all) {
		const shown = new Set(all.map(one => one.id)),
			children = new Map(),
			causeOfNode = new Map(
				self.causes.flatMap(cause => cause.findings.map(id => [id, cause])),
			);
		for (const one of all) {
			const key = shown.has(one.parent) ? one.parent : null;
			children.set(key, [...(children.get(key) || []), one]);
		}
		const list = (nodes, attributes) =>
			el('ul', attributes, folded(nodes, one => !children.has(one.id)).map(item));
		const item = one => {
			const below = one.members || children.get(one.id);
			const row = one.members
				? el(
						'summary',
						{ class: 'row', tabindex: -1 },
						el('span', { class: 'sign ' + one.state }, `${SIGNS[one.state]} ${one.state}`),
						` ${one.members.length} questions`,
					)
				: questionRow(self, below ? 'summary' : 'div', one, causeOfNode.get(one.id));
			return el(
				'li',
				{ id: one.members ? null : `q${self.number}-${one.id}`, 'data-state': one.state },
				below
					? el(
							'details',
							{ open: one.state === 'yes' },
							row,
							one.members ? el('ul', null, below.map(item)) : list(below),
						)
					: row,
			);
		};
		return list(children.get(null) || [], {
			class: 'tree',
			'aria-label': 'Search history graph; the arrow keys move in it',
		});
	}

	// One tab stop; the arrow keys move, open and close.
	function moveByKeys(tree) {
		const isShown = row =>
			!row.closest('[hidden]') &&
			!row.closest('li').parentElement.closest('details:not([open])');
		const rows = () => [...tree.querySelectorAll('.row')].filter(isShown);
		const focus = row => {
			if (!row) return;
			for (const one of tree.querySelectorAll('.row[tabindex="0"]')) one.tabIndex = -1;
			row.tabIndex = 0;
			row.focus();
		};
		const first = tree.querySelector('.row');
		if (first) first.tabIndex = 0;
		tree.addEventListener('click', event => focus(event.target.closest('.row')));
		tree.addEventListener('keydown', event => {
			const row = event.target.closest('.row'),
				all = rows(),
				at = all.indexOf(row),
				details = row && row.tagName === 'SUMMARY' ? row.parentElement : null;
			const keys = {
				ArrowDown: () => focus(all[at + 1]),
				ArrowUp: () => focus(all[at - 1]),
				Home: () => focus(all[0]),
				End: () => focus(all[all.length - 1]),
				ArrowRight: () => {
					if (details && details.open) focus(all[at + 1]);
					else if (details) details.open = true;
				},
				ArrowLeft: () => {
					const above = row.closest('li').parentElement.closest('li');
					if (details && details.open) details.open = false;
					else if (above) focus(above.querySelector('.row'));
				},
			};
			if (!row || !keys[event.key] || event.target.tagName === 'A') return;
			event.preventDefault();
			keys[event.key]();
		});
	}

	// A row stays where one below it is shown.
	function filterTree(tree, states) {
		const isWanted = item => {
			const below = [...item.querySelectorAll(':scope > details > ul > li')].map(isWanted),
				wanted = below.some(Boolean) || states.has(item.dataset.state);
			item.hidden = !wanted;
			return wanted;
		};
		[...tree.children].forEach(isWanted);
	}

	function treeControls(tree, all) {
		const states = Object.keys(SIGNS).filter(state => all.some(one => one.state === state)),
			wanted = new Set(states);
		const box = state => {
			const input = el('input', { type: 'checkbox', checked: true, value: state });
			input.addEventListener('change', () => {
				if (input.checked) wanted.add(state);
				else wanted.delete(state);
				filterTree(tree, wanted);
			});
			return el('label', null, input, ` ${state} (${all.filter(one => one.state === state).length})`);
		};
		const button = (name, open) => {
			const one = el('button', { type: 'button' }, name);
			one.addEventListener('click', () => {
				for (const details of tree.querySelectorAll('details')) details.open = open;
			});
			return one;
		};
		return el(
			'fieldset',
			null,
			el('legend', null, 'Verdicts'),
			states.map(box),
			button('Open all', true),
			button('Close all', false),
		);
	}

	// Marks in a box as wide as the page: x from 0 to 100, y from 0 to 22.
	const overTime = (style, words, marks) =>
		svg(
			'svg',
			{
				class: style,
				viewBox: '0 0 100 22',
				preserveAspectRatio: 'none',
				role: 'img',
				'aria-label': words,
			},
			svg('rect', { class: 'track', width: 100, height: 22, 'stroke-width': 0.2 }),
			marks,
		);

	// A mark for each verdict over the time of the run.
	function verdictTimes(self, all) {
		const whole = self.tables.program_ns,
			during = all.filter(one => known(one.ns) && !isAfterRun(self, one)),
			proven = during.filter(one => one.state === 'yes').sort((a, b) => a.ns - b.ns),
			later = all.filter(one => isAfterRun(self, one)).length;
		if (!during.length) return null;
		const words =
			`${during.length} verdicts were reached while the program ran` +
			(proven.length ? `, the first yes ${reached(self, proven[0])}` : '') +
			(later ? `; ${later} after the run, over what it recorded` : '') +
			'.';
		return [
			el('p', null, words),
			overTime(
				'strip',
				words,
				during.map(one =>
					svg('rect', {
						class: one.state === 'yes' ? 'band' : one.state === 'no' ? 'busy' : 'wait',
						x: Math.min(99.7, (100 * one.ns) / whole),
						width: 0.3,
						y: one.state === 'yes' ? 1 : one.state === 'no' ? 8 : 15,
						height: 6,
					}),
				),
			),
			el(
				'p',
				{ class: 'soft' },
				`From the start of the run to its end after ${time(whole)}: yes above, no in the middle, others below.`,
			),
		];
	}

	function search(self, box) {
		const all = self.tables.questions || [];
		if (!all.length) return false;
		const tree = questionTree(self, all);
		box.append(
			el(
				'p',
				null,
				`${all.length} questions: a property in a place, or of one thread in it. Each stands below the one that led to it.`,
			),
			...(verdictTimes(self, all) || []),
			treeControls(tree, all),
			tree,
		);
		moveByKeys(tree);
		leftOut(box, [[self.tables.questions_left_out, 'questions']]);
		return true;
	}

	// ---- how it was measured

	// A bar from the shortest to the longest execution of each row, and its mean.
	function stepTimes(series) {
		const most = Math.max(...series.map(row => row.max_ns)),
			total = series.reduce((sum, row) => sum + row.executions, 0),
			words =
				`Time of each execution of the phase, ${total} in all, in the order of time: ` +
				`${time(Math.min(...series.map(row => row.min_ns)))} to ${time(most)}.`;
		let at = 0;
		return [
			el('p', null, words),
			overTime(
				'strip tall',
				words,
				series.map(row => {
					const left = (100 * at) / total,
						width = (100 * row.executions) / total,
						height = value => (21 * value) / most,
						mean = row.wall_ns / row.executions;
					at += row.executions;
					return svg(
						'g',
						null,
						svg(
							'title',
							null,
							`executions ${at - row.executions + 1} to ${at}: mean ${time(mean)}, ${time(row.min_ns)} to ${time(row.max_ns)}` +
								(row.recorded ? `, accesses recorded in ${row.recorded}` : ''),
						),
						svg('rect', {
							class: row.recorded ? 'wait' : 'busy',
							'fill-opacity': 0.4,
							x: left,
							y: 22 - height(row.max_ns),
							width,
							height: height(row.max_ns - row.min_ns),
						}),
						svg('rect', {
							class: row.recorded ? 'wait' : 'busy',
							x: left,
							y: 22 - height(mean) - 0.3,
							width,
							height: 0.6,
						}),
					);
				}),
			),
			el('p', { class: 'soft' }, 'From 0 to the longest one: a bar from the shortest to the longest execution, a line at their mean; in another colour where accesses were recorded, which takes longer.'),
		];
	}

	function measured(self, box) {
		const { run, tables } = self,
			cost = run.cost,
			phases = run.phases;
		const rows = [
			['command', run.command && el('code', null, run.command)],
			['record', data.record],
			[
				'started',
				known(run.start_seconds) &&
					new Date(run.start_seconds * 1000)
						.toISOString()
						.slice(0, 19)
						.replace('T', ' ') + ' UTC',
			],
			[
				'machine',
				run.machine.cpu &&
					`${run.machine.host}: ${run.machine.cpu}, ${run.machine.cpus} CPUs, ${run.machine.nodes ?? '?'} NUMA node(s), ${bytes(run.machine.memory_bytes)}, ${run.machine.kernel}`,
			],
			[
				'attainable bandwidth',
				run.machine.bandwidth &&
					known(run.machine.bandwidth.attainable) &&
					`${bytes(run.machine.bandwidth.attainable)}/s by all CPUs`,
			],
			['threads', String(run.threads)],
			[
				'OpenMP runtime',
				run.runtime &&
					run.runtime + (run.runtime_swapped ? ' (in place of GNU libgomp)' : ''),
			],
			...Object.entries({
				OMP_PLACES: tables.omp_places,
				OMP_PROC_BIND: tables.omp_proc_bind,
				...run.environment,
			}),
			[
				'phase',
				phases.detected &&
					`${phases.executions} executions (${phases.detected})${known(phases.mean_ns) ? `, mean ${time(phases.mean_ns)}, ${time(phases.min_ns)} to ${time(phases.max_ns)}` : ''}`,
			],
			['phase read', percent(phases.read)],
			[
				'cost',
				known(cost.slowdown) &&
					`${percent(cost.slowdown - 1)} slowdown (limit ${percent(cost.limit)}); ${time(cost.tool_cpu_ns)} of CPU time; ${bytes(cost.tool_memory_bytes)} of memory; record ${bytes(cost.record_bytes)}`,
			],
			['search', run.strategy],
			[
				'simulated',
				tables.model &&
					`${tables.model_here ? 'this machine' : tables.model}${tables.model_title ? ` (${tables.model_title})` : ''}${tables.one_in > 1 ? `, one line in ${tables.one_in}` : ''}${tables.placement ? `; ${tables.placement}` : ''}`,
			],
			['memsearch', data.version],
		];
		box.append(
			el(
				'dl',
				null,
				rows
					.filter(([, value]) => value)
					.map(([name, value]) => [el('dt', null, name), el('dd', null, value)]),
			),
		);
		if (phases.series && phases.series.length > 1 && known(phases.series[0].wall_ns))
			box.append(...stepTimes(phases.series));
		const unseen = report.coverage.unseen.filter(one => one.run === self.number),
			dropped = report.dropped.filter(one => one.run === self.number);
		if (unseen.length)
			box.append(
				el(
					'details',
					null,
					el('summary', null, el('b', null, `Not measured (${unseen.length})`)),
					scroll(
						'Not measured',
						el(
							'table',
							null,
							el('thead', null, head('<what', 'share', '<why')),
							el(
								'tbody',
								null,
								unseen.map(one =>
									el(
										'tr',
										null,
										el(
											'td',
											{
												class: 't w',
											},
											one.what,
										),
										td(percent(one.share)),
										el(
											'td',
											{
												class: 't w',
											},
											one.why,
										),
									),
								),
							),
						),
					),
				),
			);
		if (dropped.length)
			box.append(
				el('h3', null, 'Dropped'),
				el(
					'ul',
					null,
					dropped
						.slice(0, 100)
						.map(one =>
							el(
								'li',
								null,
								`${known(one.count) ? count(one.count) + ' ' : ''}${short(one.what)}${one.function ? ' ' + short(one.function) : ''}: ${one.why}`,
							),
						),
				),
			);
		box.append(
			el(
				'details',
				null,
				el(
					'summary',
					null,
					`Sensors (${run.sensors.filter(one => one.works).length} of ${run.sensors.length} work)`,
				),
				el(
					'ul',
					null,
					run.sensors.map(one =>
						el(
							'li',
							null,
							el('b', null, one.name),
							one.works ? ' works' : ' does not work',
							one.why ? `: ${one.why}` : '',
						),
					),
				),
			),
		);
		return true;
	}

	// ---- the page

	function header(self) {
		const { run } = self,
			first = self.causes[0];
		$('facts').textContent = [
			`${run.threads} threads`,
			run.phases.executions
				? `${run.phases.executions} steps${known(run.phases.mean_ns) ? ' of ' + time(run.phases.mean_ns) : ''}`
				: '',
			known(run.cost.slowdown) ? `measuring cost ${percent(run.cost.slowdown - 1)}` : '',
			run.complete ? '' : 'the record ends before the program did',
		]
			.filter(Boolean)
			.join(' · ');
		const names = first ? first.data_structures.slice(0, 2).map(short).join(', ') : '';
		$('sentence').replaceChildren(
			first
				? el(
						'span',
						null,
						`${interval(first.severity_interval).replace(/^u/, 'U')}: `,
						link(first.id, first.title),
						names ? ` of ${names}` : '',
						first.hot && first.hot.file
							? [', ', lineLink(self, first.hot.file, first.hot.line)]
							: '',
					)
				: link('causes', 'No cause above 2 % of the time, or none asked for.'),
		);
		const severity = property =>
			[...self.findings.values()].reduce((sum, finding) => sum + (finding.property === property ? finding.severity : 0), 0);
		const taken = severity('CpusTaken');
		const unequal = severity('UnequalCpus');
		$('doubts').replaceChildren(
			...[
				taken && `other programs took ${percent(taken)} of the threads' CPU time: measured times are uncertain`,
				unequal && `the CPUs differ in speed: threads wait ${percent(unequal)} of their time for others with as many accesses`,
			]
				.filter(Boolean)
				.map(text => el('p', { class: 'warn' }, `Warning: ${text}.`)),
		);
	}

	// Links to rows that were left out become text.
	function unlink(root) {
		if (drawn)
			for (const one of root.querySelectorAll('a'))
				if (!$(one.getAttribute('href').slice(1))) one.replaceWith(...one.childNodes);
	}
	let drawn = false;

	const SECTIONS = [
		['causes', 'Causes', causes],
		['heat', 'Arrays × loops', heat],
		['source', 'Source', source],
		['threads', 'Threads', threads],
		['touch', 'First touch', touch],
		['remedies', 'Remedies', remedies],
		['search', 'Search', search],
		['measured', 'Measured', measured],
		['text', 'Text', null],
	];

	function show(index) {
		const self = view(index);
		drawn = false;
		header(self);
		$('nav').replaceChildren(
			...SECTIONS.filter(([id, , draw]) => {
				if (!draw) return true;
				const box = $(id).querySelector('div');
				box.replaceChildren();
				$(id).hidden = !draw(self, box);
				return !$(id).hidden;
			}).map(([id, name]) => link(id, name)),
		);
		drawn = true;
		unlink(document);
	}

	// A target inside of closed details is opened.
	function reveal() {
		const target = location.hash.length > 1 && $(decodeURIComponent(location.hash.slice(1)));
		for (let node = target; node; node = node.parentElement)
			if (node.tagName === 'DETAILS') node.open = true;
		if (target) target.scrollIntoView();
	}

	report.runs.forEach((run, i) =>
		$('run').append(
			el('option', { value: i }, `${i + 1}: ${short(run.program)}, ${run.threads} threads`),
		),
	);
	$('runs').hidden = report.runs.length < 2;
	$('run').addEventListener('change', event => show(Number(event.target.value)));
	if (report.runs.length) show(0);
	addEventListener('hashchange', reveal);
	reveal();
})();
