package page_test

import (
	"encoding/json"
	"fmt"

	"github.com/halfpeak/halfpeak/reports/page"
)

// A question and its answer are JSON.
func Example() {
	answer := page.New().Ask("predict", []byte(`{"designs": [{"ref": "clip"}], "sizes": "64KiB"}`))
	var table struct {
		Rows []map[string]any `json:"rows"`
	}
	if err := json.Unmarshal(answer, &table); err != nil || len(table.Rows) == 0 {
		fmt.Printf("%v: %.200s\n", err, answer)
		return
	}
	fmt.Println(table.Rows[0]["one_way_us"])
	// Output:
	// 580.178320313
}
