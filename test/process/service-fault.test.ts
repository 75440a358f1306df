import { describe, expect, test } from "vitest";
import { serviceFailure, serviceTrouble, type ServiceTrouble } from "../../src/adapters/process/service-trouble.ts";
import { cpuFor } from "../support/cpu-time.ts";

describe("faults of a model service [R12, S11]", () => {
  test.each<[number, ServiceTrouble | null]>([
    [200, null],
    [399, null],
    [400, "refused"],
    [401, "unauthorized"],
    [402, "refused"],
    [403, "unauthorized"],
    [404, "refused"],
    [408, "unavailable"],
    [413, "refused"],
    [422, "refused"],
    [429, "unavailable"],
    [499, "refused"],
    [500, "unavailable"],
    [502, "unavailable"],
    [529, "unavailable"],
  ])("classify status %s as %s", (status, fault) => {
    expect(serviceTrouble({ status, text: "it said so" })).toBe(fault);
    expect(serviceTrouble({ status: null, text: `unexpected status ${status} Odd: no, url: http://x` })).toBe(fault);
  });

  test.each<[string, ServiceTrouble | null]>([
    ["exceeded retry limit, last status: 429 Too Many Requests", "unavailable"],
    ["API Error: 500 broken. If it persists, sign in with another key", "unavailable"],
    ["We’re currently experiencing high demand, which may cause temporary errors.", "unavailable"],
    ["API Error: Repeated 529 Overloaded errors. The API is at capacity", "unavailable"],
    ['{"type":"error","error":{"type":"overloaded_error"}}', "unavailable"],
    ["stream disconnected before completion: error sending request", "unavailable"],
    ["API Error: Connection to the API was lost (ECONNRESET).", "unavailable"],
    ["API Error: Unable to connect to API (ECONNREFUSED)", "unavailable"],
    ["getaddrinfo EAI_AGAIN api.example.invalid", "unavailable"],
    ["fetch failed", "unavailable"],
    ["API returned an empty or malformed response (HTTP 200)", "unavailable"],
    ["Not logged in · Please run /login", "unauthorized"],
    ["Invalid API key · Fix external API key", "unauthorized"],
    ["API key not valid. Please pass a valid API key.", "unauthorized"],
    ["Authentication required", "unauthorized"],
    ['{"error":{"message":"too odd","type":"invalid_request_error"}}', "refused"],
    ["Codex ran out of room in the model's context window.", "refused"],
    ["Prompt is too long", "refused"],
    ["You've hit your usage limit. Try again at 5 pm.", "refused"],
    ["You've hit your limit · resets 5pm", "refused"],
    ["Quota exceeded. Check your plan and billing details.", "refused"],
    ["Credit balance is too low", "refused"],
    ["it wrote a test for authentication and stopped", null],
    ["Internal error", null],
    ["something new in 500 lines", null],
    ["", null],
  ])("classify %j as %s", (text, fault) => {
    expect(serviceTrouble({ status: null, text })).toBe(fault);
  });

  test("classify a used-up plan as refused despite status 429", () => {
    expect(serviceTrouble({ status: 429, text: "You've hit your limit · resets 5pm" })).toBe("refused");
  });

  test("are classified in linear time [S13]", () => {
    const text = "connection status error: ".repeat(400_000);
    expect(cpuFor(() => serviceTrouble({ status: null, text }))).toBeLessThan(50);
  });

  test.each([
    [503, { reason: "unavailable", detail: "no", again: true }],
    [401, { reason: "agent_failed", detail: "no (Run it.)", again: false }],
    [400, { reason: "agent_failed", detail: "no", again: false }],
    [null, null],
  ])("end an execution for status %s", (status, expected) => {
    expect(serviceFailure({ status, text: "no" }, "Run it.")).toEqual(expected);
  });
});
