"""Answers queries with Tantivy: reads documents and queries as JSON, writes the keys found for each query."""

import json
import re
import sys

import tantivy

given = json.load(sys.stdin)
boost = given["boost"]
builder = tantivy.SchemaBuilder()
builder.add_text_field("key", stored=True, tokenizer_name="raw")
for field in boost:
    builder.add_text_field(field, tokenizer_name="en_stem")
index = tantivy.Index(builder.build())
writer = index.writer(num_threads=1)
for document in given["documents"]:
    writer.add_document(tantivy.Document(**{name: [document[name]] for name in ["key", *boost]}))
writer.commit()
index.reload()
searcher = index.searcher()

answers = []
for text in given["queries"]:
    words = " ".join(re.findall(r"[^\W_]+", text.lower()))
    # Words may have one letter wrong if nothing has any of them as they are.
    query, _ = index.parse_query_lenient(words, list(boost), field_boosts=boost)
    hits = searcher.search(query, given["limit"]).hits
    if not hits:
        fuzzy = {field: (False, 1, True) for field in boost}
        query, _ = index.parse_query_lenient(words, list(boost), field_boosts=boost, fuzzy_fields=fuzzy)
        hits = searcher.search(query, given["limit"]).hits
    answers.append([searcher.doc(address)["key"][0] for _, address in hits])
json.dump(answers, sys.stdout)
