package ucum_test

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/roget-health/roget/codesystem/grammar/ucum"
)

func ExampleParse() {
	u, err := ucum.Parse("mmol/L{fasting}")
	if err != nil {
		panic(err)
	}
	fmt.Println(u.Display())
	fmt.Println(u.Canonical())
	// Output:
	// (millimole) / (liter) * 1
	// m-3
}

func ExampleParse_error() {
	_, err := ucum.Parse("mg/decilitre")
	fmt.Println(err)
	fmt.Println(errors.Is(err, ucum.ErrUnknownUnit))
	// Output:
	// Error processing unit 'mg/decilitre': The unit 'decilitre' is unknown at character 4
	// true
}

func ExampleConvert() {
	from, _ := ucum.Parse("[degF]")
	to, _ := ucum.Parse("Cel")
	value, err := ucum.Convert(big.NewRat(986, 10), from, to)
	if err != nil {
		panic(err)
	}
	fmt.Println(value.FloatString(1))
	// Output:
	// 37.0
}
