import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { RULES_FILE } from '../../charts/dashboards/generated-files.ts'
import { ALERT_GROUPS, rulesFile } from '../../charts/dashboards/rules-file.ts'
import { ALERT_CASES, type AlertCase } from './alert-cases.ts'
import { promtool, ROOT, whyNoPrometheus } from './promtool.ts'

const skip = await whyNoPrometheus(process.env)
const ALERTS = new Map(ALERT_GROUPS.flatMap(({ alerts }) => alerts).map((alert) => [alert.name, alert]))

test('promtool takes the rules', { skip }, async () => {
  const { code, output } = await promtool(['check', 'rules', '--lint=all', '--lint-fatal', join(ROOT, RULES_FILE)])
  assert.equal(code, 0, output)
})

test('each alert has a test case', () => {
  assert.deepEqual([...new Set(ALERT_CASES.map(({ alert }) => alert))].sort(), [...ALERTS.keys()].sort())
})

for (const one of ALERT_CASES) {
  test(`${one.alert} ${one.title}`, { skip }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-rules-'))
    try {
      const file = join(directory, 'case.yml')
      await writeFile(join(directory, 'rules.yml'), rulesFile())
      await writeFile(file, JSON.stringify(ruleTest(one)))
      const { code, output } = await promtool(['test', 'rules', file])
      assert.equal(code, 0, output)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
}

/** Returns promtool's test file as JSON, which is also YAML. */
function ruleTest({ alert, series, quietAt, firesAt, resolvedAt, labels, summary }: AlertCase): object {
  const rule = ALERTS.get(alert)
  assert.ok(rule !== undefined, alert)
  const { severity, description } = rule
  const fired = {
    exp_labels: { ...labels, severity },
    exp_annotations: { summary, description, runbook: `docs/runbooks/${alert}.md` },
  }
  const at = (eval_time: string, exp_alerts: readonly object[]): object => ({ eval_time, alertname: alert, exp_alerts })
  return {
    rule_files: ['rules.yml'],
    evaluation_interval: '30s',
    tests: [
      {
        interval: '30s',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [at(quietAt, []), at(firesAt, [fired]), at(resolvedAt, [])],
      },
    ],
  }
}
