import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { AnswerOption, RunDetail } from "../../../src/schema/api.ts";
import { useAnswer } from "../answering.ts";
import { AnswerDialog } from "../parts/answer-dialog.tsx";
import { DotsIcon } from "../parts/icons.tsx";

/** Displays the actions on the run itself, independent of its wait. */
export function RunActions({ detail }: { readonly detail: RunDetail }) {
  const [asked, setAsked] = useState<AnswerOption | null>(null);
  const { answer, isSending } = useAnswer(detail.row.id);
  const target = { run: detail.row.id, wait: detail.wait?.id ?? null, shown: detail.wait?.shown ?? "" };
  const [first, ...others] = detail.actions;
  if (first === undefined) return null;
  const resume = first.option === "resume" ? first : null;
  return (
    <>
      {resume === null ? null : (
        <button
          type="button"
          className="button button-primary"
          title={resume.effect}
          disabled={isSending}
          onClick={() => void answer({ ...target, option: "resume" }, () => undefined)}
        >
          {resume.label}
        </button>
      )}
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="button button-icon" aria-label="More about this run">
          <DotsIcon />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
            {(resume === null ? detail.actions : others).map((option) => (
              <DropdownMenu.Item
                key={option.option}
                className={`menu-item menu-${option.tone}`}
                onSelect={() => setAsked(option)}
              >
                <span>{option.label}</span>
                <span className="subtle">{option.effect}</span>
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {asked === null ? null : (
        <AnswerDialog option={asked} target={target} backTo={detail.backTo} onClose={() => setAsked(null)} />
      )}
    </>
  );
}
