import { create, createFileRegistry, fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
} from "@bufbuild/protobuf/wkt";
import * as z from "zod/mini";

/**
 * Messages published by in-toto for its attestation libraries (`in_toto_attestation.v1`): names, numbers and types
 * of their fields. All of these libraries are generated from them and read JSON by the rules of protocol buffers.
 */
const PACKAGE = "in_toto_attestation.v1";
const STRUCT = ".google.protobuf.Struct";
const { STRING, BYTES, MESSAGE } = FieldDescriptorProto_Type;
const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;

type Field = { readonly type?: FieldDescriptorProto_Type; readonly of?: string; readonly many?: true };

const field = (name: string, number: number, { type = STRING, of = "", many }: Field = {}) => ({
  name,
  jsonName: name,
  number,
  type: of === "" ? type : MESSAGE,
  typeName: of,
  label: many ? REPEATED : OPTIONAL,
});

const descriptor = {
  name: "ResourceDescriptor",
  field: [
    field("name", 1),
    field("uri", 2),
    field("digest", 3, { of: `.${PACKAGE}.ResourceDescriptor.DigestEntry`, many: true }),
    field("content", 4, { type: BYTES }),
    field("downloadLocation", 5),
    field("mediaType", 6),
    field("annotations", 7, { of: STRUCT }),
  ],
  nestedType: [{ name: "DigestEntry", options: { mapEntry: true }, field: [field("key", 1), field("value", 2)] }],
};

const statement = {
  name: "Statement",
  field: [
    { ...field("type", 1), jsonName: "_type" },
    field("subject", 2, { of: `.${PACKAGE}.ResourceDescriptor`, many: true }),
    field("predicateType", 3),
    field("predicate", 4, { of: STRUCT }),
  ],
};

const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: "in_toto_attestation/v1/statement.proto",
    package: PACKAGE,
    syntax: "proto3",
    dependency: ["google/protobuf/struct.proto"],
    messageType: [descriptor, statement],
  }),
  () => file_google_protobuf_struct,
);
const Statement = registry.getMessage(`${PACKAGE}.Statement`);
if (Statement === undefined) throw new Error("the message was not registered");

/** The statement after conversion to the published message and back. Throws if it cannot be converted. */
export const throughPublicMessage = (value: JsonValue): JsonValue =>
  toJson(Statement, fromBinary(Statement, toBinary(Statement, fromJson(Statement, value))));

const HEX = /^(?:[0-9a-f]{2})+$/;
const GIT_LENGTHS = [40, 64];

/** Rules of the library beyond types. */
const Validated = z.object({
  _type: z.literal("https://in-toto.io/Statement/v1"),
  subject: z
    .array(
      z.object({
        digest: z
          .record(z.string(), z.string().check(z.regex(HEX)))
          .check(z.refine((digest) => Object.keys(digest).length > 0))
          .check(
            z.refine((digest) =>
              ["gitCommit", "gitTree"].every(
                (name) => digest[name] === undefined || GIT_LENGTHS.includes(digest[name].length),
              ),
            ),
          ),
      }),
    )
    .check(z.minLength(1)),
  predicateType: z.string().check(z.refine((type) => URL.canParse(type))),
  predicate: z.record(z.string(), z.unknown()),
});

/** Paths that break a rule of the library; empty for a valid statement. */
export const violationsOf = (value: unknown): string[] =>
  Validated.safeParse(value).error?.issues.map(({ path }) => path.join(".")) ?? [];
