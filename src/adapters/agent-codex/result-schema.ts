import { toJSONSchema } from "zod/mini";
import type { AgentTask } from "../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../schema/agent.ts";

/**
 * Returns the schema in the strict form required by the model service: every field is required (optional ones may be
 * null), no others are allowed, and there are neither lengths nor defaults. The result is validated with our own
 * schema, which has them.
 */
export function resultSchema(role: AgentTask["role"]): object {
  return toJSONSchema(role === "phase" ? AgentResult : Verdict, {
    target: "draft-7",
    io: "output",
    override: ({ jsonSchema }) => {
      delete jsonSchema.maxLength;
      delete jsonSchema.default;
      if (jsonSchema.properties !== undefined) jsonSchema.required = Object.keys(jsonSchema.properties);
    },
  });
}
